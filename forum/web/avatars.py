"""Draws a small pattern for each person, so that readers recognise who wrote a comment.

The pattern depends on the user name alone, and is part of the page: it takes no request. Readers
can turn patterns off by a class on `<html>`, so that cached HTML is the same for all.
"""

from hashlib import blake2s

from django.utils.safestring import SafeString

from forum.web import caches

COLOURS = (
    *("#c55", "#b61", "#772", "#582", "#383", "#285"),
    *("#388", "#37b", "#77c", "#96c", "#c3c", "#b58"),
)
"""Colours that have a contrast of at least 3.7 on light and on dark paper."""
CELLS = 5
"""Number of rows and columns of a pattern."""
HALF = 3
"""Number of columns that a name decides. The others mirror them."""


@caches.AVATARS.remember
def draw(name: str) -> SafeString:
    """Return the `<svg>` with the pattern of a person, whatever the case of the name.

    It is 24 pixels wide and high.
    """
    number = int.from_bytes(blake2s(name.casefold().encode(), digest_size=4).digest())
    number, colour = divmod(number, len(COLOURS))
    bits = number % (1 << HALF * CELLS)
    # A pattern with too few or too many cells looks empty or like a plain square.
    if not HALF * CELLS // 3 <= bits.bit_count() <= HALF * CELLS * 2 // 3:
        bits ^= 0b101_010_101_010_101
    return SafeString(
        '<svg class="avatar" viewBox="-.5 -1 6 6" width="24" height="24" aria-hidden="true">'
        f'<path stroke="{COLOURS[colour]}" d="{_lines(bits)}"/></svg>'
    )


def _lines(bits: int) -> str:
    """Return the path of a pattern: each run of neighbouring cells is a line as thick as a cell."""
    path = []
    for row in range(CELLS):
        half = [bits >> row * HALF + column & 1 for column in range(HALF)]
        cells = "".join(map(str, half + half[-2::-1]))
        start = 0
        for run in cells.replace("01", "0 1").replace("10", "1 0").split():
            if run[0] == "1":
                path.append(f"M{start} {row}h{len(run)}")
            start += len(run)
    return "".join(path)
