"""Strategies for Hypothesis, which generates the tests' input."""

from hypothesis import strategies as st

LETTERS = st.characters(exclude_categories=["Cs"])
"""All characters but surrogates. Excluding these by a codec would take Hypothesis seconds without
its cache."""
