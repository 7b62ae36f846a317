"""Owners' rules, privacy, contact and about texts, their tagline and their logo."""
