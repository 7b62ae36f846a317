"""What people may type, for tests that type at random."""

from hypothesis import strategies as st

LETTERS = st.characters(exclude_categories=["Cs"])
"""All there are but surrogates. Hypothesis's own way to leave those out, by naming a codec, takes
seconds where nothing remembers it."""
