"""Date and number formats, for languages in which Django's own formats don't suit the site."""
