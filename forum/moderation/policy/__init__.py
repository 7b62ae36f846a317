"""The site's policy: settings for moderation and sign-up that admins change."""
