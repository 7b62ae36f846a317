"""The parts of moderation that content services use: the log, the queue, the policy and the rules.

Content services can't import `forum.moderation`, because it is a higher layer: the pages and
actions of moderators.
"""
