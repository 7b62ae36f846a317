"""Whom people follow and block, and which posts they save and hide."""
