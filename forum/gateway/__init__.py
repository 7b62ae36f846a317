"""The forum's only access to `voting`: its service, and SQL rows converted to its types."""
