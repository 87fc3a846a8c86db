"""From campaign and site files to slots, stages and waves."""
