"""Measurements: what Rostra's way of voting costs beside the plain way, and what a page costs."""
