"""The documentation site: sections of the READMEs in a reader's order, and a reference made from the code."""
