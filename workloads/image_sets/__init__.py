"""Data sets of small images with classes, read and made in the formats in which they are published."""
