"""The parts of `benchmarks.soak`: people who use the site, the record of what they did, the kills,
and the comparison.
"""
