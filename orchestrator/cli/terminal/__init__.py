"""Tables, JSON, progress and log lines on a terminal."""
