"""Changes of a campaign's rows: by its driver, by requests, and by one lease at a time."""
