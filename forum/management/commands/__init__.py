"""The commands of manage.py; each parses its arguments and calls one service."""
