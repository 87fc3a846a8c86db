"""Published documents: the numbers of their tables and of their text, a YAML file for each."""
