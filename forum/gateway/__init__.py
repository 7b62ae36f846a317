"""The forum's only access to `voting`. Converts SQL rows to the types of `voting`."""
