"""In a browser, the minified stylesheet and scripts work exactly as the originals."""

from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.files.base import ContentFile
from playwright.sync_api import Page

from forum.web.static_storage import StaticStorage

RULES = r"""text => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return [...sheet.cssRules].map(rule => rule.cssText.replace(/,\s+/g, ","));
}"""


@pytest.fixture
def storage(tmp_path: Path) -> StaticStorage:
    return StaticStorage(location=tmp_path)


def minified(storage: StaticStorage, name: str) -> tuple[str, str]:
    """Return the original text of a static file, and its minified text as the site serves it."""
    source = Path(str(finders.find(name))).read_text()
    saved = storage.save(name, ContentFile(source.encode()))
    with storage.open(saved) as file:
        return source, file.read().decode()


def test_the_minified_stylesheet_has_the_same_rules(page: Page, storage: StaticStorage) -> None:
    source, small = minified(storage, "site.css")
    assert len(small) < len(source) * 0.85
    assert page.evaluate(RULES, small) == page.evaluate(RULES, source)


def test_the_minified_script_is_one_that_a_browser_can_read(
    page: Page, storage: StaticStorage
) -> None:
    source, small = minified(storage, "site.js")
    assert len(small) < len(source) * 0.75
    page.evaluate("text => { new Function(text) }", small)


def test_a_file_that_its_makers_minified_is_left_as_it_is(storage: StaticStorage) -> None:
    saved = storage.save("a.min.js", ContentFile(b"let a  =  1;"))
    with storage.open(saved) as file:
        assert file.read() == b"let a  =  1;"
