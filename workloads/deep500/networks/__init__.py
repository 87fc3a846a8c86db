"""Level 1: inference and gradients of whole networks, with the same weights in every framework."""
