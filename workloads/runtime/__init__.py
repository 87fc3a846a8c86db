"""Parts that training processes share: framework, backends, collectives, facts of the host."""
