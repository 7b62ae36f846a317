"""Archives votes, and computes the numbers that depend on them, such as karma.

Redis accepts a vote and writes it to its ledger. A vote is archived when the worker has copied it
from the ledger to SQL, usually within a second.
"""
