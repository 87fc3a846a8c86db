"""What a training process ran: the files of its code, and the environment variables it was given."""
