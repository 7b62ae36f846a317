"""What all pages share: URLs, redirects, drafts, error responses, middleware."""
