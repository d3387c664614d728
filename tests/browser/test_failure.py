# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""From the red box of a test that failed to number, bound, plot, frames and evidence: two clicks at most."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from TesterLibrary.commands import main as cli
from TesterLibrary.reporting.pages.failures import anchor_of

from .pages import opened
from .test_watch import serving

ROOT = Path(__file__).parents[2]
FAKE = ROOT / "tests" / "unit" / "FakeTestbeds.py"
SUITE = """
*** Settings ***
Library           TesterLibrary    testbed=simulated/queue
Suite Setup       Open Tester
Suite Teardown    Close Tester

*** Test Cases ***
Lossy Device
    Create Stream    north    rate=500 pps
    Start Capture    frames    streams=north    parquet=True
    Measure Loss    north    duration=1 s
    Stop Capture    frames
    Verify Loss Below    0
"""
NUMBER, BOUND = "200 of 500", "required <= 0"
EVIDENCE = (
    "captures/frames.pcapng",
    "captures/frames-losses.pcapng",
    "frames/trial=1/frames.parquet",
    "trials.jsonl",
)
ANCHOR = f"#{anchor_of('Device', 'Lossy Device')}"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A defect that each report has to show: 200 of 500 frames are lost."""
    folder = tmp_path_factory.mktemp("failed")
    (folder / "device.robot").write_text(SUITE)
    output = folder / "night"
    listeners = (f"{FAKE}:300", f"allure_robotframework;{output / 'allure-results'}")
    options = [text for listener in listeners for text in ("--listener", listener)]
    options += ["--pythonpath", str(ROOT), "--outputdir", str(output)]
    command = [sys.executable, "-m", "robot", *options, str(folder / "device.robot")]
    subprocess.run(command, cwd=folder, check=False, capture_output=True)
    assert (output / "certificate.html").is_file(), "Robot alone makes the certificate"
    assert cli.main(["report", str(output)]) == 0
    return output


def shows_all(page: Page, inside: Locator) -> None:
    """Number, bound, plot and the ways to frames and evidence."""
    expect(inside).to_contain_text(NUMBER)
    expect(inside).to_contain_text(BOUND)
    plot = inside.locator("img").first
    plot.scroll_into_view_if_needed()
    assert plot.evaluate("image => image.naturalWidth") > 100
    for name in EVIDENCE:
        expect(inside.locator(f'a[href="evidence/{name}"]')).to_be_visible()
    assert page.url.endswith(ANCHOR)


def test_from_the_certificate(browser: Browser, run: Path) -> None:
    with opened(browser, (run / "certificate.html").as_uri()) as page:
        page.get_by_role("link", name="FAIL").click()
        failed = page.locator(ANCHOR)
        expect(failed).to_be_in_viewport()
        shows_all(page, failed)
        hrefs = failed.locator("a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert all((run / href).is_file() for href in hrefs), hrefs


def test_from_the_log_of_robot(browser: Browser, run: Path) -> None:
    page = browser.new_page()
    page.goto((run / "log.html").as_uri())  # the test that failed is open
    test = page.locator(".test").first
    expect(test).to_contain_text(NUMBER)
    expect(test).to_contain_text(BOUND)
    expect(test.locator("img").first).to_be_visible()
    expect(test.locator('a[href="evidence/captures/frames-losses.pcapng"]').first).to_be_visible()
    test.get_by_role("link", name="verdicts, trials, frames and evidence of this test").click()
    shows_all(page, page.locator(ANCHOR))
    page.close()


def test_from_allure(browser: Browser, run: Path) -> None:
    with opened(browser, (run / "allure-report" / "index.html").as_uri()) as page:
        page.get_by_text("Lossy Device").first.click()
        body = page.locator("body")
        expect(body).to_contain_text(NUMBER)
        expect(body).to_contain_text(BOUND)
        for name in ("plot.svg", "trials.html", "trials.csv", "frames-losses.pcapng"):
            expect(page.get_by_text(name).first).to_be_visible()
        page.get_by_text("plot.svg").first.click()
        expect(
            page.locator("img[src^='blob:'], img[src^='data:'], iframe, svg[role=img]").last
        ).to_be_visible()


def test_from_the_trend(browser: Browser, run: Path) -> None:
    page_file = run.parent / "trend.html"
    database = str(run.parent / "trend.duckdb")
    cli.main(["trend", str(run), "--database", database, "--html", str(page_file)])
    with opened(browser, page_file.as_uri()) as page:
        table = page.locator("details").first
        if table.count():
            table.locator("summary").click()
        link = page.get_by_role("row").filter(has_text="FAIL").get_by_role("link").first
        assert link.get_attribute("href") == f"night/certificate.html{ANCHOR}"
    assert re.search(f'id="{ANCHOR[1:]}"', (run / "certificate.html").read_text())


def test_from_the_live_view(browser: Browser, run: Path) -> None:
    with serving("watch", str(run)) as (url, _), opened(browser, url) as page:
        row = page.get_by_role("row").filter(has_text="Lossy Device")
        expect(row).to_contain_text(NUMBER)
        expect(row).to_contain_text(BOUND)
        row.get_by_role("link", name="trials, frames and evidence").click()
        shows_all(page, page.locator(ANCHOR))
        for name in EVIDENCE:
            with urlopen(f"{url}evidence/{name}") as answer:
                assert answer.read() == (run / "evidence" / name).read_bytes()
