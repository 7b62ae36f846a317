"""A Redis Cluster: scripts run slot by slot, in as few round trips as possible."""
