"""Parts that trainings of several ranks share: epochs with checkpoints, and descent with momentum."""
