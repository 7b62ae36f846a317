"""The parts of `benchmarks.soak`: people who use the site, the record of their actions, the killing
of processes, and the comparison.
"""
