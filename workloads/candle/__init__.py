"""The CANDLE benchmarks."""
