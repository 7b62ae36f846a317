"""The health of the site: which parts are running, how much work is waiting, and metrics."""
