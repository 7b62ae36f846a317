"""Archives votes, and computes what follows from them, such as karma and leaderboards.

Redis accepts a vote and writes it to its ledger. A vote is archived when the worker has copied it
from there to SQL, usually within a second.
"""
