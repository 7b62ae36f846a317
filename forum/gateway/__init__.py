"""The forum's only access to `voting`. Also converts SQL rows to the types of `voting`."""
