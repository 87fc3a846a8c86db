"""The Throughput metric of MLPerf HPC."""
