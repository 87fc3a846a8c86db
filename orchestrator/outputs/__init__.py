"""JSON objects that the command line prints and the API returns, as types."""
