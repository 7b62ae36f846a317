"""The connection to Redis: a single server, a master watched by sentinels, or a cluster."""
