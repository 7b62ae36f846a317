"""Formats of dates and numbers, for languages in which Django's formats don't suit the site."""
