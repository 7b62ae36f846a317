"""What `settings.py` uses: the environment, addresses, rate limits, browser policies."""
