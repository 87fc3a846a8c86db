"""What accepted attempts and their nodes' clocks prove."""
