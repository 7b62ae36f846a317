"""Print results as a table of plain text."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

HEAD = ("what", "plain way", "Rostra", "ratio", "to reach", "")


@dataclass(frozen=True, slots=True)
class Figure:
    """A line of the table, with the values of the plain site and of Rostra.

    `target` is Rostra's goal. `reached` says whether Rostra reaches this goal, and is None if there
    is no goal.
    """

    what: str
    plain: str
    ours: str
    ratio: str = ""
    target: str = ""
    reached: bool | None = None


def times(ratio: float) -> str:
    """Format a ratio as a factor, such as "3.2x"."""
    return f"{ratio:.1f}x" if ratio < 100 else f"{ratio:.0f}x"


def table(figures: Sequence[Figure], head: Sequence[str] = HEAD) -> str:
    """Format the figures as a table. The last column says whether Rostra reaches the goal."""
    words = {None: "", True: "yes", False: "NO"}
    lines = [tuple(head), *((*astuple(figure)[:-1], words[figure.reached]) for figure in figures)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    lines.insert(1, tuple("-" * width for width in widths))
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
