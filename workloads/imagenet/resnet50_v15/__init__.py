"""ResNet-50 v1.5 as HPC AI500 V2.0 trains it."""
