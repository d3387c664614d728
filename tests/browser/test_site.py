# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The documentation site: no network, no complaint, no barrier, and a search that finds from a disk, too."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tools import site

from .pages import WIDTHS, opened, violations


@pytest.fixture(scope="module")
def built() -> Path:
    return site.build()


@pytest.fixture(scope="module")
def served(built: Path) -> Iterator[str]:
    handler = partial(SimpleHTTPRequestHandler, directory=str(built))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["index.html", "stateful.html", "reference/commands.html"])
def test_a_page_is_whole_and_can_be_read_by_everybody(
    browser: Browser, served: str, name: str, width: int
) -> None:
    with opened(browser, served, name, viewport={"width": width, "height": 900}) as page:
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []


def test_search_finds_a_word_of_a_page(browser: Browser, built: Path) -> None:
    with opened(browser, built.as_uri(), "index.html", viewport={"width": 1440, "height": 900}) as page:
        page.keyboard.press("Control+k")
        page.keyboard.type("coordinated omission")
        expect(page.get_by_text("Connections that were due and not opened").first).to_be_visible()


def test_a_language_model_gets_each_page_as_text(built: Path) -> None:
    titles, text = (built / "llms.txt").read_text(), (built / "llms-full.txt").read_text()
    assert "[Install](install.html)" in titles
    assert "pip install" in text
    assert "RFC 2544" in text
