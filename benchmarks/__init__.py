"""Benchmarks of votes and pages. Several compare Rostra with the plain Redis site in `seeds.py`."""
