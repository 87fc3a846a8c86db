"""Commands that show where campaigns stand and what they measured."""
