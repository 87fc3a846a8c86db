"""What trainings of several ranks share: the epochs with their checkpoints, and descent with momentum."""
