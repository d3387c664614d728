# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every report opens from its file, without server or network, complains of nothing, shows the verdicts."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from TesterLibrary.commands import main as cli
from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.reporting.pages.pdf import print_pdf
from tests.unit.reporting.trend.nights import write_night

from . import chromium
from .pages import WIDTHS, opened

TESTS = ("Lossless Device", "Lossy Device", "Tester Too Slow", "Nobody Judges")


@pytest.mark.parametrize(
    ("report", "texts"),
    [
        (
            "certificate.html",
            (
                *(*TESTS, "PASS", "FAIL", "INCONCLUSIVE", "NOT JUDGED", "1,188,095 of 1,488,095 frames"),
                *("Run Keyword And Return Status caught its failure", "Signature"),
            ),
        ),
        ("log.html", (*TESTS, "verdict-pass", "verdict-fail", "verdict-inconclusive", "verdict-not-judged")),
        ("report.html", ("Certification by loss", "verdict-inconclusive")),
        ("allure-report/index.html", (*TESTS, "Certification by loss", "l2-bridge", "l3-router")),
    ],
)
def test_it_opens_without_complaint_and_shows_the_verdicts(
    results: Path, report: str, texts: tuple[str, ...]
) -> None:
    page = chromium.open_page(results / report)
    assert page.complaints == ()
    for text in texts:
        assert text in page.html


@pytest.mark.parametrize("width", WIDTHS)
def test_allure_is_not_empty_and_complains_of_nothing(browser: Browser, results: Path, width: int) -> None:
    options = {"viewport": {"width": width, "height": 900}}
    with opened(browser, (results / "allure-report" / "index.html").as_uri(), **options) as page:
        expect(page.locator("body")).to_contain_text("Certification by loss")


def test_a_page_that_complains_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!DOCTYPE html><title>Page</title><script>console.error('boom'); missing();</script>")
    complaints = chromium.open_page(page).complaints
    assert any("boom" in text for text in complaints)
    assert any("missing is not defined" in text for text in complaints)


@pytest.mark.parametrize(
    "report", ["certificate.html", "log.html", "report.html", "allure-report/index.html"]
)
def test_it_loads_nothing_from_a_network(results: Path, report: str) -> None:
    page = (results / report).read_text(encoding="utf-8")
    assert re.findall(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=[\"']?(?:https?:)?//[^>]*>", page) == []
    assert "gtag(" not in page


@pytest.mark.parametrize("report", ["certificate.html", "allure-report/index.html"])
def test_it_can_be_pictured(results: Path, tmp_path: Path, report: str) -> None:
    picture = chromium.screenshot(results / report, tmp_path / "report.png")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 20_000  # an empty page has 8 kB


def test_the_trend_opens_without_complaint_and_filters(tmp_path: Path) -> None:
    nights = [str(write_night(tmp_path, night, 100 + night % 3 / 10)) for night in range(8)]
    report = tmp_path / "trend.html"
    arguments = ["--database", str(tmp_path / "trend.duckdb"), "--html", str(report)]
    assert cli.main(["trend", *nights, *arguments]) == 0
    page = chromium.open_page(report)
    assert page.complaints == ()
    for text in ("rate of north, 512 bytes", "steady", "1 of 1 figures", "<svg"):
        assert text in page.html
    assert re.findall(r"(?:src|href)=[\"']?(?:https?:)?//", page.html) == []
    filtering = 'document.querySelector("select[name=size]").append(new Option("64")); '
    filtering += 'document.querySelector("select[name=size]").value = "64"; filter();'
    other = tmp_path / "filtered.html"
    other.write_text(report.read_text().replace("filter();\n</script>", f"{filtering}\n</script>"))
    assert "0 of 1 figures" in chromium.open_page(other).html
    picture = chromium.screenshot(report, tmp_path / "trend.png")
    assert picture.stat().st_size > 20_000


@pytest.mark.parametrize("width", WIDTHS)
def test_a_table_that_goes_on_is_shaded_at_its_edge(results: Path, width: int, browser: Browser) -> None:
    """On a telephone nothing else says so: scroll bars are hidden there."""
    with opened(
        browser, (results / "certificate.html").as_uri(), viewport={"width": width, "height": 800}
    ) as page:
        tables = page.locator(".scroll").all()
        cut = [each for each in tables if each.evaluate("(place) => place.scrollWidth > place.clientWidth")]
        assert bool(cut) == (width < 1000)
        for each in tables:
            attached = each.evaluate("(place) => getComputedStyle(place).backgroundAttachment")
            assert attached == "local, local, scroll, scroll"


def test_the_certificate_is_printed_as_pdf(results: Path, tmp_path: Path) -> None:
    copy = tmp_path / "run"
    shutil.copytree(results, copy)
    assert cli.main(["report", "--pdf", str(copy)]) == 0
    printed = (copy / "certificate.pdf").read_bytes()
    assert printed.startswith(b"%PDF-")
    assert printed.count(b"/Type /Page") >= 1


def test_without_a_browser_the_certificate_is_not_printed(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TesterLibraryError, match="install one of chromium"):
        print_pdf(results / "certificate.html")
