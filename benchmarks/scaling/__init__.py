"""What `benchmarks.scale` measures, a module each, and what follows from it."""
