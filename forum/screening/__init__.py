"""The parts of moderation that content services use: the log, the queue, the policy and the rules.

Content services can't import `forum.moderation`, a higher layer with moderators' pages and actions.
"""
