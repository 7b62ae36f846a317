"""How the whole site is doing: readiness, the worker's heartbeat, metrics."""
