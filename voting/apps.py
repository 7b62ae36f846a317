"""Voting as a Django application: it has no models, no pages and no settings of its own."""

from django.apps import AppConfig


class VotingConfig(AppConfig):
    """Names the package to Django."""

    name = "voting"
