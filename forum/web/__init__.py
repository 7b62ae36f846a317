"""What pages share: addresses, redirects, drafts, error responses, middleware."""
