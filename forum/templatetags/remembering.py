"""A template tag that caches a part of a page."""

from typing import Any

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token
from django.template.context import Context
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from forum.web import caches

register = template.Library()


class RememberNode(template.Node):
    """Renders the content of a `{% remember %}` tag, and caches it by language and arguments."""

    def __init__(self, nodelist: NodeList, keys: list[FilterExpression]) -> None:
        self.nodelist = nodelist
        self.keys = keys
        self.known: dict[tuple[Any, ...], SafeString] = {}

    def render(self, context: Context) -> SafeString:
        key = (get_language(), *(expression.resolve(context) for expression in self.keys))
        known = self.known.get(key)
        if known is None:
            if len(self.known) >= caches.FRAGMENTS.entries:
                self.known.clear()
            lines = self.nodelist.render(context).splitlines()
            known = self.known[key] = SafeString("\n".join(filter(None, map(str.strip, lines))))
        return known


@register.tag
def remember(parser: Parser, token: Token) -> RememberNode:
    """Cache a part of a template in this process.

    Use it as `{% remember nav viewer.name %}...{% endremember %}`. The part may depend only on the
    language and the arguments, not on a CSRF token or the request.
    """
    keys = [parser.compile_filter(bit) for bit in token.split_contents()[1:]]
    nodelist = parser.parse(("endremember",))
    parser.delete_first_token()
    return RememberNode(nodelist, keys)
