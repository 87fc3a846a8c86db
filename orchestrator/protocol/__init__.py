"""Messages between driver and node: order, report, block environment, time budget."""
