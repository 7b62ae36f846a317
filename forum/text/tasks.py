"""Task lists: `- [ ] to do` and `- [x] done` become check boxes that readers can't change.

A label contains the box and its text, so that screen readers announce them together. We don't use
the parser's plugin for task lists, because it scans the whole list for each item.
"""

import re

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

BOX = re.compile(r"\[([ xX])\]\s+")


def show_boxes(state: StateCore) -> None:
    """Replace `[ ]` and `[x]` at the beginning of list items with check boxes."""
    items = zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False)
    for item, paragraph, inline in items:
        if item.type == "list_item_open" and paragraph.type == "paragraph_open":
            _show_box(inline)


def _show_box(inline: Token) -> None:
    parts = inline.children or []
    mark = BOX.match(parts[0].content) if parts and parts[0].type == "text" else None
    if mark is None or mark[0] == inline.content:
        return
    parts[0].content = parts[0].content[mark.end() :]
    state: dict[str, str | int | float] = {} if mark[1] == " " else {"checked": ""}
    box = Token("checkbox", "input", 0, attrs={"type": "checkbox", "disabled": "", **state})
    space = Token("text", "", 0, content=" ")
    ends = Token("label_open", "label", 1), Token("label_close", "label", -1)
    inline.children = [ends[0], box, space, *parts, ends[1]]
