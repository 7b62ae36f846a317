"""Host names for display: in their own script, unless they imitate another name.

A name with letters beyond ASCII is stored and sent as punycode (`xn--...`). A label is shown
in its own letters if all of these are true, else as punycode:

- its letters are of one script (Japanese and Korean may add Han characters);
- the script is a common one: rare ones have letters that look Latin, and few people read them;
- its Latin letters are ASCII letters, ASCII letters with marks, such as "é", or a few letters that
  nobody mistakes for others, such as "ß";
- if it is Cyrillic or Greek, at least one letter does not look like a Latin letter. All letters of
  the Cyrillic "apple" look Latin, so `xn--80ak6aa92e.com` is shown as punycode.
"""

import re
import unicodedata
from functools import lru_cache

import idna

FAMILIES = (
    *(frozenset({script}) for script in ("LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW")),
    *(frozenset({script}) for script in ("DEVANAGARI", "BENGALI", "TAMIL", "TELUGU", "THAI")),
    *(frozenset({script}) for script in ("GURMUKHI", "GUJARATI", "KANNADA", "MALAYALAM", "KHMER")),
    frozenset({"CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "BOPOMOFO"}),
    frozenset({"CJK", "IDEOGRAPHIC", "HANGUL"}),
)
"""Sets of scripts that one label may mix. A script is the first word of Unicode character names."""
UNMISTAKABLE = {
    "CYRILLIC": frozenset("бджзийлфцчшщыэюяђћљњџґ"),
    "GREEK": frozenset("βδεζθλξπσςφψ"),
}
"""For each script, the letters that don't look like a Latin letter in any usual typeface."""
LATIN = frozenset("ßæœøþðđłŋ")
"""Latin letters that may be shown, in addition to ASCII letters with or without marks."""
SCRIPT = re.compile(r"[A-Z]+")


@lru_cache(maxsize=1_024)
def display_host(host: str) -> str:
    """Return an ASCII host name in the form that readers see. Invalid parts stay unchanged."""
    if "xn--" not in host:
        return host
    return ".".join(
        _label(label) if label.startswith("xn--") else label for label in host.split(".")
    )


def _label(label: str) -> str:
    try:
        letters = idna.decode(label)
    except idna.IDNAError:
        return label
    return label if _imitates(letters) else letters


def _imitates(label: str) -> bool:
    letters = {letter for letter in label if letter not in "-0123456789"}
    scripts = {_script(letter) for letter in letters}
    if not any(scripts <= family for family in FAMILIES):
        return True
    if scripts == {"LATIN"}:
        return not all(map(_is_plain_latin, letters))
    return any(
        scripts == {script} and not letters & distinct for script, distinct in UNMISTAKABLE.items()
    )


def _script(letter: str) -> str:
    """Return the script of a letter: the first word of its Unicode name, such as "CYRILLIC"."""
    found = SCRIPT.match(unicodedata.name(letter, ""))
    return found.group() if found else ""


def _is_plain_latin(letter: str) -> bool:
    return unicodedata.normalize("NFD", letter)[0].isascii() or letter in LATIN
