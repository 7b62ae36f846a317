"""Shared parts of pages: addresses, redirects, drafts, error responses, middleware."""
