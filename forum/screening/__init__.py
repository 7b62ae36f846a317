"""The parts of moderation that `forum.content` uses: the log, the queue, the policy and the rules.

`forum.content` can't import `forum.moderation`, which is in a higher layer. That package has the
pages and actions of moderators.
"""
