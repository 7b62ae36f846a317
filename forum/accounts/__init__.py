"""Adapters, forms and views that adapt the accounts library (django-allauth) to this site."""
