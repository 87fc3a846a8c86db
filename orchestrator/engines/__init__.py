"""What runs orders on slots; one module knows Parsl."""
