r"""Finds bare URLs in a text: URLs without Markdown around them.

This is a rule of the inline parser. It runs before the rule for emphasis, so that `a*b*c` in a URL
is not emphasis. A URL ends:

- at white space, quotation marks, `<`, `>`, a backtick, and punctuation that is never part of a
  URL, such as the full-width Chinese comma;
- at a closing bracket that was not opened in the URL: `(see https://example.org/)`;
- before punctuation at the end of a sentence;
- before Chinese and similar text that follows a Latin letter, a digit or the slash after the
  host: `https://example.org/a然后`. In `/wiki/投票` and `?q=投票`, such text is part of the URL.
  So it is if what follows it can only be a URL: `/ブログ/記事`, `/記事?id=1`, `/2024年/資料`.

Finding the end takes linear time in the length of the text.
"""

import re
from dataclasses import dataclass

from markdown_it.rules_inline import StateInline

from forum.text.scripts import LATIN, UNSPACED

UNLINKED = r"(?:ftps?|sftp|gemini|gopher|ircs?|ipfs|matrix|nntp|rtsp|ssh|git|svn|xmpp)://"
"""URLs with these schemes don't become links, but are not parsed as Markdown either."""
BEGINNING = rf"(?i:(?<![{LATIN}/])(?:https?://|{UNLINKED})|(?<![{LATIN}/.@-])www\.(?=\w))"
START = re.compile(BEGINNING)

LONGEST = 2_000
"""Maximum number of characters in a bare URL. The rest of a longer URL is not part of the link."""
STOPS = (
    r"\s<>\"`\\&\u2014\u2026\u2018-\u201f\u2039\u203a\u00ab\u00bb"
    # Chinese and Japanese
    r"\u3001-\u3003\u3008-\u3011\u3014-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
    # Armenian, Hebrew, Arabic, Indian, Tibetan, Burmese, Ethiopic and Khmer
    r"\u0589\u05f3\u05f4\u060c\u061b\u061f\u06d4\u0964\u0965\u0f0d-\u0f11\u104a\u104b\u1361-\u1368"
    r"\u17d4-\u17d6"
    # Invisible characters, except characters that join letters: they belong to words
    r"\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
)
LETTER = rf"(?![{STOPS}])[{UNSPACED}]"
HOST = re.compile(rf"(?:{LETTER})(?:{LETTER}|[0-9A-Za-z-])*(?:\.(?:{LETTER}|[0-9A-Za-z-])+)+")
"""A host whose first label begins with a letter of a script without spaces: `例え.jp`."""
EXTENSION = (
    r"\.(?i:html?|php|aspx?|jsp|pdf|txt|md|png|jpe?g|gif|svg|webp|zip|mp[34]|epub|docx?|xlsx?|pptx?)"
    r"(?![0-9A-Za-z])"
)
QUERY = r"\?[\w.\[\]-]++="
WORD = rf"(?:{LETTER})(?:[0-9A-Za-z_%-]*+{LETTER})*+"
"""A word that begins and ends in a script without spaces."""
AND_OR = "(?:[和与與及]/或|및/또는|และ/หรือ)"
"""Words with a slash that are prose."""
PATH_GOES_ON = rf"(?!{AND_OR}){WORD}(?:/(?![/@])|[0-9A-Za-z_%-]*+(?:/{LETTER}|{QUERY}|{EXTENSION}))"
"""Matches a word after the host's slash that is part of the URL, since a URL goes on after it."""
PIECE = re.compile(
    rf"(?:[^{STOPS}{UNSPACED}()\[\]{{}}]|(?<=[/=#]){WORD}|(?<=[?&]){WORD}(?==)"
    rf"|(?<=[/=_+#:@%{UNSPACED}-]){LETTER}|(?<=_\(){LETTER}"
    rf"|(?<=[0-9A-Za-z]){WORD}(?={QUERY}|{EXTENSION})|(?<=[0-9])[年月日년월일](?=[0-9/])"
    r"|\\[!-/:-@\[-`{-~]|&(?!(?:lt|gt|quot|apos|nbsp|#34|#39);))+"
    r"|[()\[\]{}]"
)
"""A part of a URL without brackets, or a single bracket."""
ROOT_AND_WORD = re.compile(rf"(?:[^/]*//)?[^/?#]*/(?=[{UNSPACED}])(?!{PATH_GOES_ON})")
OPENERS, CLOSERS = "([{", {")": "(", "]": "[", "}": "{"}
SURPLUS = ".,:;!?'*_~|\\\u2013"
"""Punctuation that belongs to the sentence, not the URL, if it follows a URL."""
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])|&(?:amp|#38|#x26);")
COMPLETE = re.compile(
    rf"www\.[^./?#:]+\.[^/?#]|[a-z]+://(?:[^/?#{UNSPACED}]|[^/?#.]+\.)", re.IGNORECASE
)
"""Matches a URL that has a host."""


@dataclass(frozen=True, slots=True)
class BareLink:
    """A URL found in a text."""

    url: str
    """The URL without backslash escapes and `&amp;`."""
    end: int
    """Position in the text just after the URL."""
    linked: bool


def find(text: str, start: int, end: int) -> BareLink | None:
    """Return the URL that begins at `start` and ends before `end`; None if there is none."""
    beginning = START.match(text, start, end)
    if not beginning:
        return None
    written = _trimmed(_balanced(text, beginning, end), text[max(0, start - 3) : start])
    if not COMPLETE.match(written):
        return None
    scheme = beginning[0].lower()
    url = ESCAPED.sub(lambda found: found[1] or "&", written)
    return BareLink(url, start + len(written), scheme.startswith(("http", "www.")))


def _balanced(text: str, beginning: re.Match[str], end: int) -> str:
    """Return the URL. It ends before the first character that can't belong to it.

    For example, a closing bracket that has no opening bracket can't belong to the URL.
    """
    depths = dict.fromkeys(OPENERS, 0)
    start, position = beginning.span()
    limit = min(end, start + LONGEST)
    if host := HOST.match(text, position, limit):
        position = host.end()
    while piece := PIECE.match(text, position, limit):
        if piece[0] in depths:
            depths[piece[0]] += 1
        elif opener := CLOSERS.get(piece[0]):
            depths[opener] -= 1
            if depths[opener] < 0:
                break
        position = piece.end()
    return text[start:position]


def _trimmed(written: str, before: str) -> str:
    """Return the URL without punctuation and emphasis marks at its end."""
    if word := ROOT_AND_WORD.match(written):
        written = word[0]
    marks = before[len(before.rstrip("*~")) :]
    if marks:  # emphasis marks just before the URL: the same marks end the URL
        written = written.partition(marks)[0]
    written = written.removesuffix("'s")
    end = len(written)
    opened = {opens: written.count(opens) - written.count(ends) for ends, opens in CLOSERS.items()}
    while end:
        last = written[end - 1]
        if opened.get(last, 0) > 0:  # an unmatched opening bracket: "https://example.org/("
            opened[last] -= 1
        elif last not in SURPLUS:
            break
        end -= 1
    return written[:end]


def bare_link(state: StateInline, silent: bool) -> bool:
    """Parse a URL as a link, or as plain text if the URL's scheme is not allowed."""
    found = None if state.linkLevel else find(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        _push(state, found)
    state.pos = found.end
    return True


def _push(state: StateInline, found: BareLink) -> None:
    added = "https://" if found.url[:4].lower() == "www." else ""
    href = state.md.normalizeLink(added + found.url)
    if not (found.linked and state.md.validateLink(href)):
        state.append_pending(found.url)
        return
    opening = state.push("link_open", "a", 1)
    opening.attrs = {"href": href}
    opening.info = "auto"
    words = state.md.normalizeLinkText(added + found.url)
    state.push("text", "", 0).content = words.removeprefix(added)
    state.push("link_close", "a", -1).info = "auto"
