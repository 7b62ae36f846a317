"""The topics of voting: one module for each thing that a site asks of Redis."""
