"""The health of the whole site: readiness, the worker's heartbeat, metrics."""
