"""Stand-ins for container runtimes, which run the command without a container of its own."""
