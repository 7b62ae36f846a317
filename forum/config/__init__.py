"""Code for `settings.py`: environment variables, the database, rate limits and browser policies."""
