"""Reads `.po` and `.mo` files, and finds the sentences in the code to translate."""

import ast
import gettext
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils.translation.template import templatize

MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
QUOTED = r"""u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
MARKED = re.compile(rf"\b(?:_|n?gettext)\(\s*{QUOTED}")
CONTEXT_ENDS = "\x04"
"""The character that gettext puts between a message's context and the message."""
LINE = re.compile(r'(?:(msgid_plural|msgid|msgstr)(?:\[\d\])? )?(".*")')


@dataclass(frozen=True, slots=True)
class Entry:
    """A sentence in a translation catalogue, with its plural form and its translation."""

    msgid: str
    plural: str
    says: str
    fuzzy: bool


def entries(catalogue: Path) -> list[Entry]:
    """Return the entries of a `.po` file, without the header and obsolete entries.

    Works only for languages without plural forms, such as Chinese.
    """
    blocks = catalogue.read_text().split("\n\n")
    return [_entry(block) for block in blocks if re.search(r'^msgid "', block, re.MULTILINE)][1:]


def _entry(block: str) -> Entry:
    texts = {"msgid": "", "msgid_plural": "", "msgstr": ""}
    name = ""
    for line in filter(None, map(LINE.fullmatch, block.splitlines())):
        name = line[1] or name
        texts[name] += ast.literal_eval(line[2])
    fuzzy = re.search(r"^#,.*\bfuzzy", block, re.MULTILINE) is not None
    return Entry(texts["msgid"], texts["msgid_plural"], texts["msgstr"], fuzzy)


def compiled(catalogue: Path) -> dict[str, str]:
    """Map each sentence to its translation in the `.mo` file next to a `.po` file."""
    with catalogue.with_suffix(".mo").open("rb") as file:
        known = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    translations = {
        key if isinstance(key, str) else key[0]: says for key, says in known.items() if key
    }
    return {key.rpartition(CONTEXT_ENDS)[2]: says for key, says in translations.items()}


def marked_sentences() -> set[str]:
    """Return every sentence that the site's source code marks for translation."""
    base = settings.BASE_DIR
    code = {s for path in (base / "forum").rglob("*.py") for s in _of_code(path.read_text())}
    pages = [*(base / "templates").rglob("*.html"), *(base / "templates").rglob("*.txt")]
    return code.union(*(_of_template(path.read_text()) for path in pages))


def _of_code(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            argument = node.args[0] if node.args and node.func.id in MARKS else None
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value


def _of_template(source: str) -> set[str]:
    return {ast.literal_eval(found) for found in MARKED.findall(str(templatize(source)))}
