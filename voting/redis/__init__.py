"""How Redis is reached: one server, a server that sentinels know, or a cluster."""
