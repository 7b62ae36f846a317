"""Where the marks of charts stand. Templates draw them as SVG, without a script or a style."""

from collections.abc import Sequence
from dataclasses import dataclass

HEIGHT = 100
"""Of the tallest bar, in units of the drawing."""
STEP, GAP = 20, 4


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar that stands on the ground line, and what it stands for."""

    x: int
    y: int
    height: int
    value: int


def bars(values: Sequence[int]) -> list[Bar]:
    """Return a bar for each value; the highest value has the full height."""
    top = max((*values, 1))
    heights = [round(HEIGHT * value / top) for value in values]
    return [
        Bar(number * STEP, HEIGHT - height, height, value)
        for number, (height, value) in enumerate(zip(heights, values, strict=True))
    ]
