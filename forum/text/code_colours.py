"""Marks the parts of code, such as keywords and strings, with classes that the stylesheet colours.

Pygments splits the code. Its 80 kinds of tokens become the few classes in `CLASSES`.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import Any

from markdown_it.common.utils import escapeHtml
from pygments import token
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.lexers.jvm import JavaLexer

LONGEST = 10_000
"""Maximum number of characters in a block that gets colours."""
SLOW = re.compile(r"[^\n]{1000}|\s{200}")
"""Finds a long line or a long gap. Some lexers take quadratic time for these."""
LEXERS = (
    *("bash", "c", "cpp", "css", "diff", "go", "html", "java", "javascript", "json", "kotlin"),
    *("lua", "php", "python", "ruby", "rust", "sql", "toml", "typescript", "yaml"),
)
LANGUAGES = dict(zip(LEXERS, LEXERS, strict=True)) | {
    "c++": "cpp",
    "golang": "go",
    "js": "javascript",
    "jsx": "javascript",
    "kt": "kotlin",
    "patch": "diff",
    "py": "python",
    "rb": "ruby",
    "rs": "rust",
    "sh": "bash",
    "shell": "bash",
    "ts": "typescript",
    "tsx": "typescript",
    "xml": "html",
    "yml": "yaml",
}
"""The lexer for each name that people may write after the fence."""
KINDS = {
    token.Comment: "c",
    token.Comment.Preproc: "k",
    token.Keyword: "k",
    token.Keyword.Constant: "m",
    token.Operator.Word: "k",
    token.Literal: "m",
    token.String: "s",
    token.Name.Attribute: "b",
    token.Name.Builtin: "b",
    token.Name.Class: "n",
    token.Name.Constant: "m",
    token.Name.Decorator: "b",
    token.Name.Exception: "b",
    token.Name.Function: "n",
    token.Name.Tag: "k",
    token.Name.Variable: "b",
    token.Generic.Deleted: "d",
    token.Generic.Heading: "n",
    token.Generic.Inserted: "i",
    token.Generic.Subheading: "n",
}
"""The class for each kind of token; parts of a kind have its class unless listed themselves."""
CLASSES = frozenset(KINDS.values())


def coloured(code: str, language: str) -> str:
    """Return the HTML of some code: plain text if its language is unknown or it is too long."""
    name = LANGUAGES.get(language.lower())
    if name is None or len(code) > LONGEST or SLOW.search(code):
        return escapeHtml(code)
    return "".join(_pieces(code, name))


def _pieces(code: str, name: str) -> Iterator[str]:
    tokens = (
        (_class_of(kind), text) for _at, kind, text in _lexer(name).get_tokens_unprocessed(code)
    )
    for css_class, parts in groupby(tokens, key=lambda part: part[0]):
        text = escapeHtml("".join(text for _class, text in parts))
        yield f'<span class="{css_class}">{text}</span>' if css_class and text.strip() else text


class _JavaLexer(JavaLexer):
    """Pygments' lexer for Java without its rule for methods, which takes quadratic time."""

    tokens = JavaLexer.tokens | {
        "root": [rule for rule in JavaLexer.tokens["root"] if not rule[0].startswith("((?:(?:[^")]
    }


@cache
def _lexer(name: str) -> Lexer:
    if name == "java":
        return _JavaLexer()
    return get_lexer_by_name(name, startinline=True)  # PHP needs no `<?php`


@cache
def _class_of(kind: Any) -> str:
    """Return the class for a kind of token; "" for plain text."""
    for each in reversed(kind.split()):
        if each in KINDS:
            return KINDS[each]
    return ""
