"""Fork servers and supervisors that outlive an attempt."""
