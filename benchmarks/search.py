"""Measure how long SQL takes for searches of a large site.

    .venv/bin/python -m benchmarks.search [--quick] [--keep FOLDER]

Uses SQLite, or the PostgreSQL that TEST_DATABASE_URL names. The texts are sentences of the demo
content, with one word in seven replaced by an invented word. A few invented words are common, most
are rare. The 200 searches are the same in each run of the benchmark. Each search is done three
times, and the shortest time is the result.
"""

import os
import sys
import tomllib
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import accumulate, chain, islice
from pathlib import Path
from random import Random
from statistics import quantiles
from time import perf_counter
from typing import Any

if not __package__:  # run as a script: don't import this folder's voting.py and http.py
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from django.apps import apps
from django.db import connection
from django.utils import timezone

from benchmarks import inside

DEMO = Path(__file__).resolve().parent.parent / "forum" / "operations" / "demo"
PEOPLE, GROUPS, INVENTED, PIECE = 5_000, 20, 30_000, 5_000
TARGET_MS = 50
CHINESE = "我们在城市里种花读书做饭写程序数学语言数据库网页科学问题回答评论时间朋友老师学生音乐电影"
ONSETS = (
    *"bcdfghjklmnprstvwz",
    *("bl", "br", "ch", "cl", "cr", "dr", "fl", "fr", "gl", "gr", "pl", "pr", "qu"),
    *("sc", "sh", "sl", "sp", "st", "str", "sw", "th", "tr", "wh"),
)
VOWELS = (*"aeiouy", "ai", "ea", "ee", "ie", "oa", "oo", "ou")
CODAS = (*("",) * 8, *"bdgklmnprstxz", "ch", "ck", "ll", "nd", "ng", "nt", "rd", "rn", "sh", "st")
"""Invented words are made of these, so that their trigrams are as rare as those of a language."""


class Texts:
    """Random texts, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.sentences = [*_demo_sentences()]
        self.invented = [self._invented() for _ in range(INVENTED)]
        self._weights = [*accumulate(1 / rank for rank in range(1, INVENTED + 1))]

    def sentence(self) -> str:
        """Return a sentence of the demo content with some invented words."""
        if self.chance.random() < 0.03:
            return "".join(self.chance.choices(CHINESE, k=20)) + "。"
        return " ".join(
            self.word() if self.chance.random() < 1 / 7 else word
            for word in self.chance.choice(self.sentences).split()
        )

    def word(self) -> str:
        """Return an invented word. The most likely word is 30,000 times as likely as the rarest."""
        return self.chance.choices(self.invented, cum_weights=self._weights)[0]

    def _invented(self) -> str:
        parts = (ONSETS, VOWELS, CODAS) * self.chance.choice((1, 2, 2, 3))
        return "".join(map(self.chance.choice, parts))

    def text(self) -> str:
        """Return a text of one to eight sentences."""
        return " ".join(self.sentence() for _ in range(self.chance.choice((1, 2, 2, 3, 4, 8))))


def main() -> None:
    """Create a site, search it, and print the times."""
    parser = ArgumentParser(description="Measure searches.")
    parser.add_argument("--quick", action="store_true", help="a hundredth of the posts")
    parser.add_argument("--keep", help="a folder: create the site there, or use the one there")
    options = parser.parse_args()
    posts, comments = (1_000, 10_000) if options.quick else (100_000, 1_000_000)
    with inside.site(os.environ.get("TEST_DATABASE_URL", ""), keep=options.keep):
        if not apps.get_model("forum", "post").objects.exists():
            _fill(Texts(1), posts, comments)
        _measure(list(queries(Texts(1))))


def queries(texts: Texts) -> Iterator[str]:
    """Yield the 200 searches."""
    chance, words = texts.chance, [*chain.from_iterable(map(str.split, texts.sentences))]
    words = [word for word in words if word.isalpha()]
    invented = texts.invented
    yield from chance.sample(words, 40)
    yield from (invented[rank] for rank in (0, 3, 10, 30, 100, 300, *range(1_000, 25_000, 1_000)))
    yield from (f"{chance.choice(words)} {chance.choice(words)}" for _ in range(30))
    yield from (f"{chance.choice(words)} {texts.word()}" for _ in range(20))
    for sentence in chance.sample(texts.sentences, 20):
        yield '"' + " ".join(sentence.replace('"', "").split()[:3]) + '"'
    yield from (f"{texts.word()} OR {chance.choice(words)}" for _ in range(10))
    yield from (f"{texts.word()} -{chance.choice(words)}" for _ in range(10))
    yield from ("go", "c#", "is", "of", "数", "花", "音乐", "数学 问题", "程序员")
    yield from ("neverwritten", "zzyzx", "mistpelled words", "staba tr", "chichi xyz")
    for number in range(5):
        yield f"{chance.choice(words)} group:g{number}"
        yield f"{texts.word()} author:p{number}"
        yield f"{chance.choice(words)} after:30d points:>5"
    yield from ("author:p7", "author:p8 points:>3", "group:g3 is:question", "site:example3.org")
    yield from ("is:link before:60d", "in:title the", "is:comment after:1d")
    yield from ("learn C++", "node.js", ".net", "@ada")


def _demo_sentences() -> Iterator[str]:
    for folder in ("posts", "threads"):
        for file in sorted((DEMO / folder).glob("*.toml")):
            for text in _strings(tomllib.loads(file.read_text())):
                yield from (one for one in text.replace("\n", " ").split(". ") if " " in one)


def _strings(found: object) -> Iterator[str]:
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        yield from chain.from_iterable(map(_strings, found))
    elif isinstance(found, str):
        yield found


def _fill(texts: Texts, posts: int, comments: int) -> None:
    began = perf_counter()
    # Models can only be imported once the site is set up.
    from forum.text import search_text  # noqa: PLC0415

    model = apps.get_app_config("forum").get_model
    person: Any = model("user")
    group: Any = model("group")
    post: Any = model("post")
    comment: Any = model("comment")
    person.objects.bulk_create(person(username=f"p{number}") for number in range(PEOPLE))
    groups = group.objects.bulk_create(group(slug=f"g{n}", title=f"G {n}") for n in range(GROUPS))
    authors = list(person.objects.values_list("pk", flat=True))
    now, chance = timezone.now(), texts.chance

    def posted(number: int) -> object:
        title, html = texts.sentence()[:200], f"<p>{texts.text()}</p>"
        kind = chance.choice(("link", "link", "text", "question"))
        host = f"example{int(chance.paretovariate(0.5)) % 1_000}.org" if kind == "link" else ""
        return post(
            author_id=chance.choice(authors),
            kind=kind,
            title=title,
            url=f"https://{host}/{number}" if host else "",
            url_key=f"{host}/{number}" if host else "",
            host=host,
            body=html,
            body_html=html,
            search_text=search_text.of_post(title, host, html),
            created_at=now - timedelta(minutes=posts - number),
            up=int(chance.paretovariate(0.8)) % 1_000,
        )

    def commented(number: int) -> object:
        html = f"<p>{texts.text()}</p>"
        return comment(
            post_id=first + chance.randrange(posts),
            author_id=chance.choice(authors),
            body=html,
            body_html=html,
            search_text=search_text.of_comment(html),
            created_at=now - timedelta(seconds=6 * (comments - number)),
            up=int(chance.paretovariate(1)) % 1_000,
        )

    _create(post, map(posted, range(posts)))
    first = post.objects.order_by("pk").values_list("pk", flat=True)[0]
    places = post.groups.through
    _create(
        places,
        (
            places(post_id=first + number, group_id=chance.choice(groups).pk)
            for number in range(posts)
        ),
    )
    _create(comment, map(commented, range(comments)))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    spent = perf_counter() - began
    print(f"{connection.vendor}: {posts:,} posts, {comments:,} comments in {spent:.0f} s")


def _create(model: Any, rows: Iterator[object]) -> None:
    while piece := list(islice(rows, PIECE)):
        model.objects.bulk_create(piece)


class Database:
    """Adds up the time that PostgreSQL takes for queries."""

    ms = 0.0

    def __call__(self, execute: Callable[..., Any], *query: Any) -> Any:
        """Run a query, and add the time that it takes to `ms`."""
        began = perf_counter()
        try:
            return execute(*query)
        finally:
            self.ms += (perf_counter() - began) * 1e3


def _measure(searches: list[str]) -> None:
    from forum.search.parser import parse  # noqa: PLC0415
    from forum.search.queries import Order, find  # noqa: PLC0415

    times: dict[str, float] = {}
    results = 0
    for text in searches:
        query = parse(text, now=timezone.now(), member=False)
        for _ in range(3):  # after the first time, the index is in memory
            database, began = Database(), perf_counter()
            with connection.execute_wrapper(database):
                found = find(query, viewer_id=None, order=Order.RELEVANCE)
            # SQLite finds rows while Python loads them, so this counts the whole search.
            spent = (perf_counter() - began) * 1e3
            spent = database.ms if connection.vendor == "postgresql" else spent
            times[text] = min(spent, times.get(text, spent))
        results += len(found.hits)
    cuts, most = quantiles(times.values(), n=100), max(times.values())
    over = sum(spent > TARGET_MS for spent in times.values())
    print(f"{len(searches)} searches, {results / len(searches):.0f} results each on average")
    print(f"median {cuts[49]:.1f} ms, 95th percentile {cuts[94]:.1f} ms, longest {most:.1f} ms")
    print(f"longer than {TARGET_MS} ms: {over}")
    slowest = sorted(times, key=lambda text: times[text], reverse=True)[:12]
    print("slowest: " + ", ".join(f"{text} ({times[text]:.0f} ms)" for text in slowest))


if __name__ == "__main__":
    main()
