"""The parts of `benchmarks.scale`: measurements, and the needs of a site computed from them."""
