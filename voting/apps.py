"""Voting as a Django application: it has no models, no pages and no settings of its own."""

from django.apps import AppConfig


class VotingConfig(AppConfig):
    """Registers `voting` as a Django application."""

    name = "voting"
