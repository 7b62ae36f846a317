"""Joining the site: sign-up, invitations, applications, and limits on sign-ups."""
