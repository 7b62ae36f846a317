"""The parts of `benchmarks.scale`: measuring costs, and computing from them what a site needs."""
