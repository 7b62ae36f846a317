"""Finds fonts on this machine that can draw a text.

No single font has all scripts, and the fonts that have Chinese are too large to ship. So each part
of a text is drawn in the first installed font that has the part's characters. Characters that no
font has are left out, since boxes in their place would look broken. If none of the fonts is
installed, Pillow's own font draws Latin letters.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from unicodedata import category

from PIL import ImageFont

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
"""Number of characters whose font a process remembers. Each takes about 100 bytes."""
PROBE = 24
"""Font size in pixels for checking whether a font has a character."""

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@lru_cache(maxsize=1)
def _files() -> tuple[Path, ...]:
    found = {path.name: path for folder in FOLDERS for path in folder.rglob("*.tt[fc]")}
    return tuple(found[name] for name in FILES if name in found)


@lru_cache(maxsize=64)
def _load(index: int, size: int) -> Font:
    """Load the font file with this index in `_files`. `size` is in pixels.

    If the index is one higher than the last file's, load Pillow's own font.
    """
    files = _files()
    if index == len(files):
        return ImageFont.load_default(size)
    return ImageFont.truetype(files[index], size)


@lru_cache(maxsize=COVERED)
def _index(character: str) -> int | None:
    """Return the index of the first font that has a character; None if no font has it."""
    for index in range(len(_files()) + 1):
        font = _load(index, PROBE)
        drawn, missing = font.getmask(character), font.getmask(NO_CHARACTER)
        if drawn.getbbox() and (drawn.size, bytes(drawn)) != (missing.size, bytes(missing)):
            return index
    return None


def _joins(character: str) -> bool:
    """Return whether a character is drawn in the font of the character before it.

    This is true of spaces and combining marks.
    """
    return character == " " or category(character).startswith("M")


def runs(text: str, size: int) -> Iterator[tuple[str, Font]]:
    """Split a text wherever the font must change; yield each part with a font that can draw it.

    `size` is in pixels. Leaves out characters that no font has.
    """
    pairs: list[tuple[int, str]] = []
    for character in text:
        if _joins(character):
            pairs.append((pairs[-1][0] if pairs else 0, character))
        elif (index := _index(character)) is not None:
            pairs.append((index, character))
    for index, run in groupby(pairs, key=lambda pair: pair[0]):
        yield "".join(character for _, character in run), _load(index, size)
