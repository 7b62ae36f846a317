"""The site's own commands for manage.py."""
