"""Commands that show where campaigns stand and report on them."""
