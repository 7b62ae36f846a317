"""Runs a site: processes, background work, health, backups, repair, moves, imports and demo."""
