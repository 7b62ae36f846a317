"""What `settings.py` needs: the environment, addresses, rate limits, browser policies."""
