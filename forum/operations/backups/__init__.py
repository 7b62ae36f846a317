"""Backs up a running site, and restores sites from backups."""
