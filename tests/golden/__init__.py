"""Ledgers that are kept, and what the command line said of each of their campaigns, byte for byte."""
