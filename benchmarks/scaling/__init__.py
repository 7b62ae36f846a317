"""The parts of `benchmarks.scale`: measurements, and formulas for what a site needs."""
