"""Each person has a small pattern, drawn from the user name."""

import re
from xml.etree.ElementTree import fromstring

from forum.web import avatars

NAMES = [f"person-{number}" for number in range(2_000)]


def cells_of(name: str) -> set[tuple[int, int]]:
    """Return the column and row of each cell that is drawn."""
    runs = re.findall(r"M(\d) (\d)h(\d)", avatars.draw(name))
    return {(int(x) + step, int(y)) for x, y, wide in runs for step in range(int(wide))}


def test_pattern_depends_on_the_name_but_not_on_its_case() -> None:
    assert avatars.draw("Ada") == avatars.draw("ada")
    assert avatars.draw("ada") != avatars.draw("bob")


def test_patterns_are_symmetric_and_neither_empty_nor_full() -> None:
    for name in NAMES:
        cells = cells_of(name)
        assert cells == {(4 - x, y) for x, y in cells}, name
        assert 5 <= len(cells) <= 20, f"{name} has {len(cells)} cells"


def test_most_people_have_a_pattern_of_their_own() -> None:
    assert len({avatars.draw(name) for name in NAMES}) > len(NAMES) * 0.98


def test_pattern_is_short_and_has_no_style() -> None:
    drawings = [avatars.draw(name) for name in NAMES]
    for drawing in drawings:
        assert fromstring(drawing).tag == "svg"
        assert "style" not in drawing
        assert len(drawing) <= 240
    assert sum(map(len, drawings)) / len(drawings) < 190
