"""What fits the accounts library (django-allauth) to this site: adapters, forms, views."""
