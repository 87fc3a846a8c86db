"""Commands about the nodes of a machine."""
