"""The content of a preview image, and a hash of this content."""

import json
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from hashlib import sha256
from typing import Self

from django.conf import settings

STEPS = (5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
"""Points are rounded down to one of these, so that most votes don't change the image."""
DESIGN = 2
"""Increase this number when the drawing changes, so that all images get new URLs."""


@dataclass(frozen=True, slots=True)
class PreviewCard:
    """The content of a post's preview image. Equal cards have equal images."""

    title: str
    groups: tuple[str, ...]
    """The groups' short names, in alphabetical order."""
    points: int
    """The post's points, rounded down to one of `STEPS`; 0 for fewer points."""
    site_name: str

    @classmethod
    def of(cls, title: str, groups: Iterable[str], points: int) -> Self:
        """Return the content of the preview image of a post with this many points."""
        rounded = max((step for step in STEPS if step <= points), default=0)
        return cls(title, tuple(sorted(groups)), rounded, settings.SITE_NAME)

    @property
    def digest(self) -> str:
        """A hash that names the image's content: 16 hexadecimal digits."""
        return _digest(self, DESIGN)

    def similar_digests(self) -> set[str]:
        """Return the digests of images of the same title and groups, with any points and design."""
        return {
            _digest(replace(self, points=points), design)
            for points in (0, *STEPS)
            for design in range(1, DESIGN + 1)
        }


def _digest(card: PreviewCard, design: int) -> str:
    content = json.dumps([design, *astuple(card)])
    return sha256(content.encode()).hexdigest()[:16]
