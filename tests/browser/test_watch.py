# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of a run in a browser: while the run goes on, and after it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.unit.reporting.golden import record_run

from .pages import CONTRAST, PATIENCE_MS, opened

ROOT = Path(__file__).parents[2]
SUITE = """
*** Settings ***
Library           OperatingSystem
Library           TesterLibrary    testbed=simulated/queue
Suite Setup       Open Tester
Suite Teardown    Close Tester

*** Test Cases ***
Half Of Line Rate
    Create Stream    north    tx=p1    rx=p2    frame_size=512
    Mark Event    reload
    ${result} =    Find Throughput    north    resolution=10 %    duration=500 ms
    Verify Throughput Above    40 %    ${result}

All Of Line Rate
    Create Stream    south    tx=p2    rx=p1    frame_size=512
    # Again and again: one search is over in less than a second, and a page that is told so twice may miss it.
    WHILE    True    limit=2 min
        ${result} =    Find Throughput    south    resolution=10 %    duration=500 ms
        ${told} =    Run Keyword And Return Status    File Should Exist    ${GO_ON}
        IF    ${told}    BREAK
    END
    Verify Throughput Above    90 %    ${result}
"""
COLORS = """(canvas) => {
  const { width, height } = canvas;
  return new Set(canvas.getContext("2d").getImageData(0, 0, width, height).data).size;
}"""


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A command of tester and the address of the page that it serves."""
    command = [sys.executable, "-m", "TesterLibrary.commands.main", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = (re.search(r"http://\S+/", line) for line in process.stdout)
            yield next(url[0] for url in found if url), process
        finally:
            process.terminate()
            process.stdout.read()


def test_a_run_is_watched_while_it_goes_on(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "queue.robot").write_text(SUITE)
    go_on, output = tmp_path / "go-on", tmp_path / "results"
    variables = ["--variable", f"GO_ON:{go_on}"]
    arguments = ["--testbed", "simulated/queue", "--suite", str(tmp_path / "queue.robot"), *variables]
    with (
        serving("certify", *arguments, "--output", str(output), "--live") as (url, process),
        opened(browser, url) as page,
    ):
        first = page.get_by_role("row").filter(has_text="Half Of Line Rate")
        second = page.get_by_role("row").filter(has_text="All Of Line Rate")
        expect(first).to_contain_text("PASS", timeout=PATIENCE_MS)
        expect(page.locator("#tests-done")).to_have_text("1 of 2 tests are done")
        expect(page.locator("#test-now")).to_contain_text("All Of Line Rate", timeout=PATIENCE_MS)
        expect(page.locator("#trial-now")).to_contain_text("throughput of south", timeout=PATIENCE_MS)
        expect(second).to_contain_text("running")
        expect(page.get_by_role("status")).to_have_text("going on")
        expect(page.locator("#rate-said")).to_contain_text("sent")

        page.get_by_label("Shown").first.select_option(label="port p1")
        expect(page.locator("#loss-said")).to_have_text("not measured so far")
        page.get_by_label("Shown").first.select_option(label="stream north")
        expect(page.locator("#loss-said")).to_contain_text("newest: loss")
        first.get_by_role("button").click()
        expect(page.get_by_label("picked")).to_be_checked()
        expect(page.locator("#log")).to_contain_text("mark: reload")
        page.get_by_label("events and marks").uncheck()
        expect(page.locator("#log")).not_to_contain_text("mark: reload")
        page.get_by_text("The newest numbers as a table").click()
        expect(page.locator("#rows tr").first).to_contain_text("trial")

        go_on.touch()
        expect(second).to_contain_text("FAIL", timeout=PATIENCE_MS)
        expect(page.locator("#verdicts")).to_have_text("Verdicts: 1 PASS, 1 FAIL")
        expect(page.get_by_role("status")).to_contain_text("no longer served", timeout=PATIENCE_MS)
        expect(page.get_by_role("status")).to_contain_text("finished")
        assert process.wait(60) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_a_run_that_is_over_can_be_read(browser: Browser, tmp_path: Path, width: int, scheme: str) -> None:
    record_run(tmp_path / "evidence")
    options = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    with serving("watch", str(tmp_path)) as (url, _), opened(browser, url, **options) as page:
        expect(page.get_by_role("heading", level=1)).to_have_text("Golden run", timeout=PATIENCE_MS)
        expect(page.locator("#demonstration")).to_have_text("a demonstration, not a certification")
        expect(page.locator("#verdicts")).to_contain_text("FAIL")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for chart in ("rate", "loss", "delay"):
            drawn = page.locator(f"#{chart} canvas").evaluate(COLORS)
            assert drawn > 10, f"{chart} is empty"
        assert page.evaluate(CONTRAST) == []


def test_it_is_worked_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    record_run(tmp_path / "evidence")
    with serving("watch", str(tmp_path)) as (url, _), opened(browser, url) as page:
        # A test is a row at once, and a button when the page knows its time.
        button = page.get_by_role("row").filter(has_text="1518 Bytes").get_by_role("button")
        expect(button.first).to_be_visible(timeout=PATIENCE_MS)
        reached = []
        for _ in range(60):
            page.keyboard.press("Tab")
            place = (
                "document.activeElement.id || document.activeElement.name || document.activeElement.tagName"
            )
            reached.append(page.evaluate(place))
            if reached[-1] == "BUTTON":
                break
        assert {"subject", "span", "SUMMARY", "outcome", "BUTTON"} <= set(reached)
        page.keyboard.press("Enter")
        expect(page.get_by_label("picked")).to_be_checked()


def test_a_page_that_lost_its_server_says_so(browser: Browser, tmp_path: Path) -> None:
    record_run(tmp_path / "evidence")
    with serving("watch", str(tmp_path)) as (url, process):
        page = browser.new_page()
        page.goto(url)
        expect(page.get_by_role("heading", level=1)).to_have_text("Golden run", timeout=PATIENCE_MS)
        process.kill()
        expect(page.get_by_role("status")).to_contain_text("not connected", timeout=PATIENCE_MS)
        page.close()
