"""The public log of moderation: everything that moderators, rules and the site did."""
