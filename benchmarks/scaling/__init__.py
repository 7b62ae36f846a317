"""The parts of `benchmarks.scale`: measurements, and formulas for the memory and CPU of a site."""
