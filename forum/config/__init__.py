"""What `settings.py` needs: the environment, addresses, rate limits and browser policies."""
