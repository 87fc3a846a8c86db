"""Launch, resume, stop, recover and compact a campaign."""
