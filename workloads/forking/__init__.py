"""Fork a process whose state is that of a fresh one."""
