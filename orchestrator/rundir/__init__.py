"""The directory of a campaign: layout, journals, packed files, signal files."""
