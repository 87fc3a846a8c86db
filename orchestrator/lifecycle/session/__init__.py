"""One session of a campaign, from its host to its end."""
