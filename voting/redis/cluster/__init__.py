"""A Redis Cluster. Scripts run on one slot after another, in as few round trips as possible."""
