"""Joining the site: the policy of sign-up, invitations, applications, and limits on sign-ups."""
