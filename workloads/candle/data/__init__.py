"""The data sets of the CANDLE workloads: generated, checked, cached and loaded."""
