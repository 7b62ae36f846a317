"""The parts of moderation that `forum.content` uses: the log, the queue, the policy and the rules.

The pages and actions of moderators are in `forum.moderation`. That package is in a higher layer, so
`forum.content` can't import it.
"""
