"""Strategies for Hypothesis, which generates the tests' input."""

from hypothesis import strategies as st

LETTERS = st.characters(exclude_categories=["Cs"])
"""All characters except surrogates.

Excluding surrogates with `codec` would take Hypothesis seconds if its cache is empty.
"""
