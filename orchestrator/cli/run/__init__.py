"""Commands that run and change campaigns."""
