"""Find slow and failing nodes by micro-benchmarks on every slot."""
