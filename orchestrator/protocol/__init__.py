"""What driver and node say to each other: order, report, block environment, time budget."""
