"""Joins sentences. English puts a space between sentences, Chinese does not."""

from django.utils.translation import get_language


def sentence_space() -> str:
    """Return the separator between two sentences in the active language: a space or nothing."""
    return "" if (get_language() or "").startswith("zh") else " "


def join_sentences(*sentences: str) -> str:
    """Join sentences with the separator of the active language."""
    return sentence_space().join(sentences)
