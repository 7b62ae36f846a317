"""Finds posts whose titles share words with a title: similar posts, and likely duplicates.

A rare word says more about a title than a common one. To estimate how rare a word is, this module
reads the newest posts with the word: if they go back a long time, the word is rare.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, log

from forum.models import Post
from forum.search import queries
from forum.text import search_text
from forum.text.scripts import UNSPACED

MOST = 5
"""The most similar posts that are returned."""
WORDS = 8
"""How many words of a title are searched: the longest, which are usually the rarest."""
NEWEST = 200
"""How many posts with each word are read."""
CHECKED = 50
"""How many of these, those with the rarest words in title or text, have their titles compared."""
SHARE = 0.3
"""How much of the weight of a title's words must be in the other title."""
WORD = re.compile(rf"[^\W_{UNSPACED}]+(?:[.']?[^\W_{UNSPACED}]+)*[+#]*")
"""A word, with the signs of names like node.js and C#, and without other punctuation."""
PAIR = re.compile(rf"(?=([{UNSPACED}] [{UNSPACED}]))")
"""Two characters of a script without spaces between words."""


def find(title: str, *, besides: int = 0) -> list[int]:
    """Return the ids of posts with a similar title, the most similar first.

    Ignores the post whose id is `besides`. Uses at most eight words of `title`. Raises
    SearchTooSlow.
    """
    words = _words(search_text.fold(title))
    if not words:
        return []
    backend = queries.backend()
    with backend.time_limit(queries.SECONDS):
        found = {word: backend.newest_posts(search_text.pattern(word), NEWEST) for word in words}
        weights = _weights(found)
        titles = _titles(_heaviest(found, weights), besides)
    shared = {pk: _shared(folded, weights) for pk, folded in titles.items()}
    least = SHARE * _total(weights)
    similar = [pk for pk in shared if shared[pk] >= least]
    return sorted(similar, key=lambda pk: (shared[pk], pk), reverse=True)[:MOST]


def _words(folded: str) -> list[str]:
    """Return the longest words in a title, to search for.

    In scripts without spaces between words, such as Chinese, returns pairs of characters instead.
    """
    words = sorted(dict.fromkeys(WORD.findall(folded)), key=len, reverse=True)[:WORDS]
    pairs = [pair for pair in dict.fromkeys(PAIR.findall(folded)) if pair[0::2].isalnum()]
    if room := WORDS - len(words):
        words += pairs[:: ceil(len(pairs) / room) or 1]
    return words


def _weights(found: Mapping[str, Sequence[int]]) -> dict[str, float]:
    """Return the weight of each word, which is higher if fewer of the site's posts have the word.

    The weight is the square of the inverse document frequency (IDF), as in cosine similarity.
    `found` maps each word to the ids of the newest posts with this word, newest first.
    """
    newest = max((ids[0] for ids in found.values() if ids), default=0)
    return {
        word: log(1 + _span(ids, newest) / max(len(ids), 1)) ** 2 for word, ids in found.items()
    }


def _span(ids: Sequence[int], newest: int) -> int:
    """Estimate how many of the site's newest posts were searched for a word.

    The search ends when it has found `NEWEST` posts with the word. `ids` are the ids of the found
    posts, newest first. `newest` is the id of the newest post found for any word of the title.
    """
    return newest if len(ids) < NEWEST else newest - ids[-1]


def _total(weights: Mapping[str, float]) -> float:
    """Return the total weight of words.

    In scripts without spaces, pairs of characters are used as words. A pair counts half its weight,
    because most pairs aren't words.
    """
    return sum(weight / 2 if PAIR.match(word) else weight for word, weight in weights.items())


def _heaviest(found: Mapping[str, Sequence[int]], weights: Mapping[str, float]) -> list[int]:
    """Return the ids of the posts whose words have the largest total weight, largest first.

    `found` maps each word to the ids of the posts that contain the word.
    """
    sums: dict[int, float] = {}
    for word, ids in found.items():
        for pk in ids:
            sums[pk] = sums.get(pk, 0) + weights[word]
    return sorted(sums, key=lambda pk: (sums[pk], pk), reverse=True)[:CHECKED]


def _titles(ids: Iterable[int], besides: int) -> dict[int, str]:
    """Map the ids of visible posts to their titles, simplified by `search_text.fold`.

    Leaves out the post `besides`.
    """
    posts = Post.objects.visible().filter(pk__in=ids).exclude(pk=besides)
    return {pk: search_text.fold(title) for pk, title in posts.values_list("pk", "title")}


def _shared(folded: str, weights: Mapping[str, float]) -> float:
    """Return the total weight of those words in `weights` that `_begins_with` finds in a title.

    `folded` is the title without case and accents.
    """
    return sum(weight for word, weight in weights.items() if _begins_with(word, folded))


def _begins_with(word: str, folded: str) -> bool:
    """Return whether a text has a word that begins with `word`.

    If `word` is short, the text must have exactly this word.
    """
    end = "" if len(word) >= search_text.SHORTEST else r"(?![^\W_])"
    return bool(re.search(rf"(?<![^\W_]){re.escape(word)}{end}", folded))
