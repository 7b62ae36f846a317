"""Skeletons of user names: names that people easily mistake for each other have the same one.

User names contain only ASCII letters, digits, "-" and "_" (see `forum.text.usernames`), so this
short list is enough. SQL computes the same skeletons and has an index of them.
"""

from functools import reduce

from django.db.models import Expression, F, Func
from django.db.models.functions import Lower

FOLDS = (
    *(("rn", "m"), ("vv", "w"), ("-", ""), ("_", "")),
    *(("i", "l"), ("1", "l"), ("0", "o"), ("5", "s"), ("2", "z"), ("8", "b")),
)
"""Replacements in a name in lower case, in this order."""

REPLACE = "%(function)s(%(expressions)s, '%(old)s', '%(new)s')"


def skeleton(name: str) -> str:
    """Return the skeleton of a name: "carI", "car1" and "Carl" have the same."""
    return reduce(lambda text, fold: text.replace(*fold), FOLDS, name.lower())


def skeleton_of(column: str) -> Expression:
    """Return the SQL expression for the skeleton of the name in a column.

    Its constants are part of the SQL: SQLite uses no index for an expression with parameters.
    """
    folded: Expression = Lower(F(column))
    for old, new in FOLDS:
        folded = Func(folded, function="REPLACE", template=REPLACE, old=old, new=new)
    return folded
