"""Date and number formats, for languages whose formats in Django don't suit the site."""
