"""Level 0 of Deep500: operators of deep learning against NumPy references in float64, with their times."""
