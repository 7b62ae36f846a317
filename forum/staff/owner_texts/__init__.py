"""What owners write about their site: rules, privacy, contact and about texts, tagline and logo."""
