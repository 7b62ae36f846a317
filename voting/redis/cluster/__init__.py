"""Runs scripts and commands on a Redis Cluster, in as few round trips as possible."""
