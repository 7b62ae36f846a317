"""Adapters, forms and views that fit the accounts library (django-allauth) to this site."""
