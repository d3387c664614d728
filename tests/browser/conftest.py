# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The browser, and a certified run with a test of each outcome."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from TesterLibrary.commands import main as cli

from . import chromium

LIBRARY = Path(__file__).parents[1] / "unit" / "reporting" / "SimulatedLibrary.py"
SUITE = f"""
*** Settings ***
Library    {LIBRARY}

*** Test Cases ***
Lossless Device
    Loss Is Below    10 %    0 %

Lossy Device
    Loss Is Below    100 %    0.001 %

Tester Too Slow
    Loss Is Below    100 %    0.001 %    tester_limit=${{0}}

Nobody Judges
    Run Keyword And Return Status    Loss Is Below    100 %    0 %
"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    options = ["--no-sandbox"] if os.geteuid() == 0 else []  # the sandbox refuses root
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium.command(), args=options)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certified")
    (folder / "loss.robot").write_text(SUITE)
    output = folder / "results"
    arguments = ["--suite", str(folder / "loss.robot"), "--output", str(output)]
    status = cli.main(["certify", "--testbed", "l2-bridge", "--testbed", "l3-router", *arguments])
    assert status == cli.STATUS["FAIL"]
    return output
