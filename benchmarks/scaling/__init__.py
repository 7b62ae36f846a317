"""The parts of `benchmarks.scale`: measurements, and what they mean for a site."""
