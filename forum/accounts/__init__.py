"""Adapts the accounts library (django-allauth) to this site: hooks, forms and views."""
