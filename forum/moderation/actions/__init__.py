"""What moderators do. Each action has a reason, is in the log, and can be undone (`undo`).

An action is one function: it checks that `by` may act, changes SQL in one transaction, writes an
entry of the log, decides the target's item in the queue, and notifies the person concerned.
"""
