"""PSI/J: any batch system that its executors know."""
