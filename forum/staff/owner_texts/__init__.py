"""The owners' texts about their site (rules, privacy, contact, about), its tagline and its logo."""
