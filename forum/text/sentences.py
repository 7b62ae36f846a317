"""Sentences in a row. English puts a space between them, Chinese does not."""

from django.utils.translation import get_language


def sentence_space() -> str:
    """Return what separates two sentences in the active language."""
    return "" if (get_language() or "").startswith("zh") else " "


def join_sentences(*sentences: str) -> str:
    """Join sentences as the active language does."""
    return sentence_space().join(sentences)
