"""Registers `voting` as a Django application without models, pages or settings."""

from django.apps import AppConfig


class VotingConfig(AppConfig):
    """Registers `voting` as a Django application."""

    name = "voting"
