"""A Redis Cluster: scripts carried out slot by slot, and what can be asked at once."""
