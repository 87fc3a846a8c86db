"""Level 2, optimizers: references, what the frameworks define otherwise, and rules of users."""
