"""The parts of `benchmarks.soak`: simulate people, kill processes, and check that no action was
lost.
"""
