"""What owners write about their site: rules, privacy, contact, about, tagline and logo."""
