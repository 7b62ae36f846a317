"""Code that all pages share: URLs, redirects, drafts, error responses and middleware."""
