"""Strategies for Hypothesis, which generates the tests' input."""

from hypothesis import strategies as st

LETTERS = st.characters(exclude_categories=["Cs"])
"""All characters except surrogates.

With `codec` instead of `exclude_categories`, Hypothesis takes seconds if its cache is empty.
"""
