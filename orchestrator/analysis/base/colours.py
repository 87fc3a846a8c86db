"""The colours of curves and benchmarks in all figures."""

SERIES = ("#2f77c8", "#b86400", "#2b8a4b", "#9558c4", "#7c7a12", "#14868f", "#98663a", "#b94f8b")
"""Each has a contrast of at least 3 : 1 to white and to the dark page (WCAG 2.2, 1.4.11).

None is red, the colour of attempts that were not accepted.
"""
