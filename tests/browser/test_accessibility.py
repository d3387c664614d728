# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Our pages can be read and worked by everybody: axe-core, contrast, narrow screens, the keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from TesterLibrary.commands import main as cli
from tests.unit.reporting.golden import GOLDEN, record_run
from tests.unit.reporting.trend.nights import write_night

from .pages import CONTRAST, PATIENCE_MS, SCHEMES, WIDTHS, opened, violations
from .test_watch import serving

PAGES = ("certificate", "certificate of all outcomes", "trend", "live view")
_OPEN = "document.querySelectorAll('details').forEach((part) => { part.open = true; })"
_FOCUS = """() => {
  const place = document.activeElement, style = getComputedStyle(place);
  const shown = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
  return [place.getAttribute("aria-label") || place.id || place.name || place.tagName, shown];
}"""
_SCROLLED = "[...document.querySelectorAll('.scroll')].some((part) => part.scrollLeft > 0)"
_BAD = """<!doctype html><html><head><title>Page</title></head><body><main><img src="data:,">
<p style="color: #bbb; background: #fff">Too pale to be read by many</p></main></body></html>"""


@pytest.fixture(scope="module")
def trend(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with an alarm, its history, and a value of a tester that was not fit."""
    folder = tmp_path_factory.mktemp("trend")
    nights = [write_night(folder, night, 100 + night % 3 / 10) for night in range(10)]
    nights += [write_night(folder, 10, 97.0), write_night(folder, 10, 97.1, hour=3)]
    nights.append(write_night(folder, 12, 50.0, outcome="INCONCLUSIVE"))
    report = folder / "trend.html"
    arguments = ["--database", str(folder / "trend.duckdb"), "--html", str(report)]
    assert cli.main(["trend", *map(str, nights), *arguments]) == 1
    return report


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("live")
    record_run(folder / "evidence")
    with serving("watch", str(folder)) as (url, _):
        yield url


@pytest.fixture
def addresses(results: Path, trend: Path, live: str) -> dict[str, str]:
    files = {
        "certificate": results / "certificate.html",
        "certificate of all outcomes": GOLDEN / "certificate.html",
        "trend": trend,
    }
    return {**{name: path.as_uri() for name, path in files.items()}, "live view": live}


@contextmanager
def shown(browser: Browser, url: str, width: int, scheme: str = "light") -> Iterator[Page]:
    """The page, when its scripts have run, with everything on it that can be opened."""
    options = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with opened(browser, url, **options) as page:
        expect(page.get_by_role("heading", level=1)).not_to_have_text("Run", timeout=PATIENCE_MS)
        page.evaluate(_OPEN)
        yield page


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(
    browser: Browser, addresses: dict[str, str], name: str, width: int, scheme: str
) -> None:
    with shown(browser, addresses[name], width, scheme) as page:
        assert violations(page) == []
        assert page.evaluate(CONTRAST) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width, "wider than the screen"


def test_what_is_bad_is_found(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "bad.html"
    path.write_text(_BAD)
    with opened(browser, path.as_uri()) as page:
        found = " ".join(violations(page))
        assert len(page.evaluate(CONTRAST)) == 1
    for rule in ("color-contrast", "image-alt", "html-has-lang"):
        assert f"{rule}: " in found


def reached(page: Page, presses: int) -> list[str]:
    """The elements that Tab comes to, in their order; each of them shows that it has the focus."""
    names = []
    for _ in range(presses):
        page.keyboard.press("Tab")
        name, visible = page.evaluate(_FOCUS)
        if name == "BODY":
            break
        assert visible, f"{name} does not show its focus"
        names.append(name)
    return names


def test_the_trend_is_worked_by_keyboard(browser: Browser, trend: Path) -> None:
    with opened(browser, trend.as_uri(), viewport={"width": 390, "height": 900}) as page:
        names = reached(page, 5)
        assert names == ["testbed", "version", "size", "test", "SUMMARY"]
        page.keyboard.press("Enter")
        assert reached(page, 1) == ["Newest values of figure 1"]
        page.keyboard.press("ArrowRight")
        page.wait_for_function(_SCROLLED)
        page.get_by_label("Test", exact=True).focus()
        page.keyboard.type("no such test")
        expect(page.get_by_role("status")).to_have_text("0 of 1 figures")


def test_the_tables_of_the_certificate_are_scrolled_by_keyboard(browser: Browser) -> None:
    page_of = (GOLDEN / "certificate.html").as_uri()
    with opened(browser, page_of, viewport={"width": 390, "height": 900}) as page:
        tables, others = page.locator("table").count(), page.locator("main a, summary").count()
        names = []
        for _ in range(tables + others):
            names += reached(page, 1)
            page.keyboard.press("ArrowRight")
        page.wait_for_function(_SCROLLED)
        assert len(set(names) - {"A", "SUMMARY"}) == tables


def test_each_stop_of_the_live_view_shows_its_focus(browser: Browser, live: str) -> None:
    with shown(browser, live, 1440) as page:
        names = reached(page, 12)
        assert {"subject", "span", "SUMMARY", "Newest numbers", "outcome", "Outcomes of tests"} <= set(names)
