"""The parts of `benchmarks.soak`. They simulate people, record what these people do, kill
processes, and compare the record with the site's data.
"""
