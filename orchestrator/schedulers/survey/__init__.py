"""What a batch system says of its machine: queues with their limits, and nodes by kind. Parsers are pure.

Each module has ``COMMANDS``, the commands by name with whether they must succeed, and ``survey``, which
reads their output.
"""
