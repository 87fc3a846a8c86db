"""Engines that run orders on slots; one module knows Parsl."""
