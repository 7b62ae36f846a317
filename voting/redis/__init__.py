"""The connection to Redis: one server, a server that sentinels know, or a cluster."""
