"""Finds addresses that stand in a text as they are, in time that grows with the text alone."""

import re
from dataclasses import dataclass

ADDRESS = re.compile(r"(?<![\w/])https?://[^\s<>\"`\\|^{}]{1,2000}", re.IGNORECASE)
CLOSERS = {")": "(", "]": "["}


@dataclass(frozen=True, slots=True)
class BareLink:
    """An address and where it stands, in the words of the markdown parser."""

    url: str
    index: int
    last_index: int
    schema: str = "http:"

    @property
    def text(self) -> str:
        return self.url


class BareLinks:
    """What the markdown parser asks a link finder. Only http(s) addresses count as links."""

    def pretest(self, text: str) -> bool:
        """Tell quickly whether there may be a link."""
        return "://" in text

    def test(self, text: str) -> bool:
        """Tell whether there is a link."""
        return ADDRESS.search(text) is not None

    def match(self, text: str) -> list[BareLink]:
        """Return the links in the order they stand in."""
        links = []
        for found in ADDRESS.finditer(text):
            url = trim(found.group())
            if not url.endswith("//"):
                links.append(BareLink(url, found.start(), found.start() + len(url)))
        return links


def trim(url: str) -> str:
    """Drop punctuation that belongs to the sentence: "(see https://example.org/)."."""
    end = len(url)
    surplus = {closer: url.count(closer) - url.count(CLOSERS[closer]) for closer in CLOSERS}
    while end:
        last = url[end - 1]
        if surplus.get(last, 0) > 0:
            surplus[last] -= 1
        elif last not in ".,:;!?'*_~":
            break
        end -= 1
    return url[:end]
