"""One module per page or action.

A view parses the request, calls a service or query, and renders.
"""
