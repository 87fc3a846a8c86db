"""Extreme weather analytics: Faster R-CNN on climate images."""
