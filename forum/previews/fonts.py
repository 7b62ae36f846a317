"""Finds fonts on this machine that can draw a text.

No single font has all scripts, and the fonts that have Chinese are too large to ship. So each part
of a text is drawn in the first installed font that has the part's characters. Letters and combining
marks that no font has are left out, since boxes in their place would look broken. If none of the
fonts is installed, Pillow's own font draws Latin letters.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from unicodedata import category

from PIL import ImageFont, features

from forum.previews.directions import begins_right, in_visual_order

FOLDERS = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))
FILES = (
    *("NotoSans-Bold.ttf", "DejaVuSans-Bold.ttf", "LiberationSans-Bold.ttf"),
    *("NotoSansCJK-Bold.ttc", "NotoSansCJK-Regular.ttc", "wqy-microhei.ttc"),
    *("NotoSansArabic-Bold.ttf", "NotoSansHebrew-Bold.ttf", "NotoSansThai-Bold.ttf"),
    *("NotoSansDevanagari-Bold.ttf", "DejaVuSans.ttf"),
)
"""Names of font files, the preferred ones first."""
NO_CHARACTER = "\uffff"
"""Fonts draw this as a box, or whatever they draw for a character that they don't have."""
COVERED = 20_000
"""Number of letters whose font a process remembers. Each takes about 100 bytes."""
PROBE = 24
"""Font size in pixels for checking whether a font has a character."""
SHAPED = features.check_feature("raqm")
"""Whether Pillow can draw scripts that are written from right to left, which needs FriBiDi."""
JOINERS = "\u200c\u200d"
"""Invisible characters that change how the letters beside them are joined."""

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


class Run(NamedTuple):
    """A part of a line in one font and one direction."""

    text: str
    font: Font
    level: int

    @property
    def direction(self) -> str | None:
        """The direction in which Pillow draws the text. None means from left to right."""
        return "rtl" if self.level % 2 else None


def letters(text: str) -> list[str]:
    """Split a text into its characters, each with the combining marks that follow it."""
    found: list[str] = []
    for character in text:
        if found and (category(character).startswith("M") or character in JOINERS):
            found[-1] += character
        else:
            found.append(character)
    return found


def drawable(text: str) -> str:
    """Return the part of a text that can be drawn, with single spaces.

    Leaves out letters and combining marks that no font has, and words of which only punctuation
    would remain.
    """
    words = ((word, "".join(_covered(letter) for letter in letters(word))) for word in text.split())
    return " ".join(
        left for word, left in words if left and (_has_letters(left) or not _has_letters(word))
    )


def runs(line: str, size: int, levels: Sequence[int]) -> list[Run]:
    """Split a line that can be drawn wherever the font or the direction changes.

    `size` is in pixels, and `levels` are those of the line's characters. Returns the parts from the
    left end of the line to its right end.
    """
    pieces: list[tuple[int, int, str]] = []
    place = 0
    for letter in letters(line):
        index = (pieces[-1][1] if pieces else 0) if letter == " " else _index(letter)
        pieces.append((levels[place], index or 0, letter))
        place += len(letter)
    return in_visual_order(
        [
            Run("".join(letter for *_, letter in some), _load(index, size), level)
            for (level, index), some in groupby(pieces, key=lambda piece: piece[:2])
        ]
    )


@lru_cache(maxsize=1)
def _files() -> tuple[Path, ...]:
    found = {path.name: path for folder in FOLDERS for path in folder.rglob("*.tt[fc]")}
    return tuple(found[name] for name in FILES if name in found)


@lru_cache(maxsize=64)
def _load(index: int, size: int, *, shaped: bool = True) -> Font:
    """Load the font file with this index in `_files`. `size` is in pixels.

    If the index is one higher than the last file's, load Pillow's own font. If `shaped` is False,
    the font draws each character by itself, without replacements such as dotted circles.
    """
    files = _files()
    font = (
        ImageFont.load_default(size)
        if index == len(files)
        else ImageFont.truetype(files[index], size)
    )
    if shaped or isinstance(font, ImageFont.ImageFont):
        return font
    return font.font_variant(layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=COVERED)
def _index(letter: str) -> int | None:
    """Return the index of the first font that has a letter and its marks, or else the letter.

    Returns None if no font can draw the letter, or if it is a mark without a letter.
    """
    base, marks = letter[0], letter[1:]
    if category(base).startswith("M") or (not SHAPED and begins_right(base)):
        return None
    able = [index for index in range(len(_files()) + 1) if _has(index, base)]
    whole = (index for index in able if all(_has(index, mark, blank=True) for mark in marks))
    return next(whole, able[0] if able else None)


def _covered(letter: str) -> str:
    """Return a letter with those of its marks that its font has; "" if no font has the letter."""
    index = _index(letter)
    if index is None:
        return ""
    marks = (mark for mark in letter[1:] if mark in JOINERS or _has(index, mark, blank=True))
    return letter[0] + "".join(marks)


def _has(index: int, character: str, *, blank: bool = False) -> bool:
    """Return whether a font has a character. Blank characters count only if `blank` is True."""
    font = _load(index, PROBE, shaped=False)
    drawn, missing = font.getmask(character), font.getmask(NO_CHARACTER)
    seen = blank or drawn.getbbox() is not None
    return seen and (drawn.size, bytes(drawn)) != (missing.size, bytes(missing))


def _has_letters(text: str) -> bool:
    return any(category(character)[0] in "LN" for character in text)
