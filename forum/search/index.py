"""The SQL indexes that find text in `search_text` of posts and comments.

PostgreSQL has a trigram index on the column (`pg_trgm`). The index also contains each row's id
divided by 1,000 (`btree_gin`), so that a search can skip old rows. PostgreSQL moves columns of long
rows out of the table (TOAST). `search_text` is excluded from this, because searches would take
twice as long.

SQLite has a full-text table (FTS5) of trigrams for posts and another for comments. Triggers keep
both up to date. In PostgreSQL and SQLite, the transaction that writes a post or comment also writes
the index.

Django drops the triggers of a table on SQLite if a migration rebuilds the table, for example to
change a field. Such a migration must end with `RunPython(index.create, index.drop)`.
"""

from typing import Any

from django.db import connection
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

TABLES = ("forum_post", "forum_comment")
SQLITE_TABLE = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS {table}_search USING fts5(search_text, content='{table}',"
    " content_rowid='id', columnsize=0, detail=none, tokenize='trigram case_sensitive 1')"
)
ADD = "INSERT INTO {table}_search(rowid, search_text) VALUES (new.id, new.search_text);"
REMOVE = (
    "INSERT INTO {table}_search({table}_search, rowid, search_text)"
    " VALUES ('delete', old.id, old.search_text);"
)
TRIGGERS = {
    "insert": f"AFTER INSERT ON {{table}} BEGIN {ADD} END",
    "delete": f"AFTER DELETE ON {{table}} BEGIN {REMOVE} END",
    "update": f"AFTER UPDATE OF search_text ON {{table}} BEGIN {REMOVE} {ADD} END",
}
FILL = "INSERT INTO {table}_search({table}_search) VALUES ('rebuild')"
EXTENSIONS = ("pg_trgm", "btree_gin")
POSTGRESQL = (
    "ALTER TABLE {table} ALTER COLUMN search_text SET STORAGE MAIN",
    (
        "CREATE INDEX IF NOT EXISTS {table}_search ON {table}"
        " USING gin ((id / 1000), search_text gin_trgm_ops)"
    ),
)


def create(_apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """Create the indexes, for a migration. Safe to repeat."""
    if editor.connection.vendor == "postgresql":
        for extension in EXTENSIONS:
            editor.execute(f"CREATE EXTENSION IF NOT EXISTS {extension}")
        for table in TABLES:
            for statement in POSTGRESQL:
                editor.execute(statement.format(table=table))
    else:
        for table in TABLES:
            editor.execute(SQLITE_TABLE.format(table=table))
            for name, trigger in TRIGGERS.items():
                named = f"CREATE TRIGGER IF NOT EXISTS {table}_search_{name} {trigger}"
                editor.execute(named.format(table=table))
            editor.execute(FILL.format(table=table))


def drop(_apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the indexes, to undo a migration."""
    for table in TABLES:
        if editor.connection.vendor == "postgresql":
            editor.execute(f"DROP INDEX IF EXISTS {table}_search")
        else:
            for name in TRIGGERS:
                editor.execute(f"DROP TRIGGER IF EXISTS {table}_search_{name}")
            editor.execute(f"DROP TABLE IF EXISTS {table}_search")


def fill() -> None:
    """Fill SQLite's full-text tables again from the stored texts. Writers wait meanwhile.

    Does nothing on PostgreSQL, whose index always matches the table.
    """
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            for table in TABLES:
                cursor.execute(FILL.format(table=table))
