# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How long the page of trends takes, from the database of 1,000 nights to a browser that shows it."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from TesterLibrary.reporting.trend import page
from TesterLibrary.reporting.trend.database import TOLERANCE, open_database
from TesterLibrary.reporting.trend.figure import Figure, Key, Point, Run
from TesterLibrary.reporting.trend.summary import trends

from .harness.machine import load_average
from .harness.outcome import Impossible, Outcome, below
from .harness.outcome import Run as Measured
from .harness.registry import Settings, benchmark

_RUNS = 1_000
_TESTS = ("throughput", "latency", "frame loss", "back-to-back", "system recovery", "reset")
_SIZES = (64, 128, 256, 512, 1024, 1280, 1518)
_NOISE = 0.003
_ROUNDS = 3
_SECONDS = 120  # for a browser, at most


@benchmark(unit="s", bound=below(2, "s"))
def trend_1000(_: Settings) -> Outcome:
    """By how much longer a browser takes for the page of 42 figures over 1,000 runs than for an empty one"""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        raise Impossible("chromium is not installed: apt-get install chromium")
    with tempfile.TemporaryDirectory(prefix="benchmark-", dir=Path.cwd()) as name:
        folder = Path(name)
        written_s = _written(folder)
        empty = folder / "empty.html"
        empty.write_text("<!doctype html><title>empty</title>", encoding="utf-8")
        runs = []
        for _round in range(_ROUNDS):
            load = load_average()
            start_s = _opened(browser, empty)
            runs.append(Measured(_opened(browser, folder / "trend.html") - start_s, None, load))
        size = (folder / "trend.html").stat().st_size
    return Outcome(
        tuple(runs),
        note=f"the empty page takes {start_s:.2f} s, browser included; the page has "
        f"{size / 1e6:.1f} MB and is written in {written_s:.1f} s",
    )


def _written(folder: Path) -> float:
    """Puts the page there; the seconds that it took to read the database and to write it."""
    with open_database(folder / "trend.duckdb") as database:
        for run in reversed(tuple(_nights())):  # what is older than the newest value is not judged any more
            database.add(run, float(TOLERANCE.value))
        begun = time.monotonic()
        runs = database.runs()
        found = trends(database.series(), [runs[-1][0]])
    page.write(found, folder / "trend.html", runs=len(runs), newest=runs[-1][1])
    return time.monotonic() - begun


def _nights() -> Iterator[Run]:
    """Runs of one device, a night each, whose values scatter around the same level."""
    chance = random.Random(1)
    first = datetime(2024, 1, 1, 2)
    for number in range(_RUNS):
        at, name = first + timedelta(days=number), f"run-{number}"
        figures = []
        for test in _TESTS:
            for size in _SIZES:
                subject = f"{test} of north, {size} bytes"
                key = Key("lab/router", "physical", "full", "rfc2544", test, subject, 1, "part")
                value = chance.gauss(0.9, 0.9 * _NOISE)
                point = Point(name, at, value, value, "PASS", "", "router", "1.0", "testerd")
                figures.append(Figure(key, point, higher_is_better=True))
        yield Run(name, at, "Nightly", "PASS", tuple(figures))


def _opened(browser: str, path: Path) -> float:
    """The seconds from the start of a browser until it has printed the page as its scripts made it."""
    options = ["--headless", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"]
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # the sandbox refuses root
    begun = time.monotonic()
    command = [browser, *options, *sandbox, path.absolute().as_uri()]
    subprocess.run(command, check=True, timeout=_SECONDS, capture_output=True)
    return time.monotonic() - begun
