"""What the services of content need of moderation: the log, the queue, the policy and the rules.

`forum.moderation`, which has the pages and actions of moderators, is above the services of content.
"""
