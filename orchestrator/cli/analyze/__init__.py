"""Commands that compare and explain measurements, and project them to larger machines."""
