"""Template filters for a page's head, which search engines and link previews read."""

import re
from urllib.parse import parse_qsl, urlencode

from django import template
from django.conf import settings
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.urls import reverse
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString

from forum.config.hidden_scores import is_hidden
from forum.previews.card import PreviewCard
from forum.store import post_cards
from forum.templatetags.sentences import excerpt
from voting.types import Row

register = template.Library()
CONTENT_PARAMETERS = {"p", "t"}
"""Query parameters that select what a page shows. All others only change how it looks."""
FILTERS = {"/search": {"q"}, "/modlog": {"group", "kind", "moderator", "person"}}
"""Further query parameters that select what a page shows, by the page's path."""
FIRST_PAGE = ("p", "1")
DESCRIPTION = 160
"""Maximum number of characters in a description; search engines show no more."""
READ = 1_200
"""Number of characters of HTML that are read to make a description."""
OG_LOCALES = {"en": "en_US", "zh-hans": "zh_CN"}
"""The site's languages as OpenGraph names them."""
HALF_A_TAG = re.compile(r"<[^>]*\Z")


@register.filter
def canonical(here: str) -> str:
    """Return the canonical URL of a page, without parameters such as the sort order."""
    path, _, query = here.partition("?")
    names = CONTENT_PARAMETERS | FILTERS.get(path, set())
    fields = {name: value for name, value in parse_qsl(query) if name in names}
    selected = urlencode([field for field in fields.items() if field != FIRST_PAGE])
    return f"{settings.SITE_URL}{path}?{selected}" if selected else f"{settings.SITE_URL}{path}"


@register.filter
def described(html: str) -> str:
    """Return a page's description: the beginning of its rendered Markdown, as plain text.

    The result is not escaped.
    """
    return " ".join(excerpt(HALF_A_TAG.sub("", html[:READ]), DESCRIPTION).split())


@register.filter
def domain_of(url: str) -> str:
    """Return the host of a URL without "www."."""
    return post_cards.domain(url)


@register.filter
def without_site(title: str, site_name: str) -> SafeString:
    """Remove the site's name from the end of the HTML of a page's title."""
    return SafeString(title.strip().removesuffix(f" · {conditional_escape(site_name)}"))


@register.filter
def og_locale(language: str) -> str:
    """Return the OpenGraph name of a language, such as zh_CN."""
    return OG_LOCALES.get(language, "en_US")


@register.simple_tag
def preview_image(row: Row | str) -> str:
    """Return the URL of a post's preview image.

    `row` is the post's row in a listing. If `row` is "", returns the URL of the site's image.
    """
    if isinstance(row, str):
        return settings.SITE_URL + reverse("site_preview_image")
    points = 0 if is_hidden(row.posted_at) else row.points
    card = PreviewCard.of(post_cards.unpack(row.card).title, row.groups, points)
    return settings.SITE_URL + reverse("preview_image", args=[row.id, card.digest])


class KeepNode(template.Node):
    """Renders the content of a `{% keep %}` tag, and stores the result in a variable."""

    def __init__(self, nodelist: NodeList, name: str) -> None:
        self.nodelist = nodelist
        self.name = name

    def render(self, context: Context) -> SafeString:
        context[self.name] = kept = self.nodelist.render(context)
        return kept


@register.tag
def keep(parser: Parser, token: Token) -> KeepNode:
    """Render a part of a template, and store the result in a variable for use further down.

    A block can appear only once in a template, but a page's title and description appear twice.
    Use it as `{% keep "page_title" %}...{% endkeep %}`.
    """
    _tag, name = token.split_contents()
    nodelist = parser.parse(("endkeep",))
    parser.delete_first_token()
    return KeepNode(nodelist, name.strip('"'))
