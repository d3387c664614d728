# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A page as a browser shows it: what is in it once its scripts have run, and what they complained about."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from TesterLibrary.reporting.pages.pdf import find_browser

COMMAND = find_browser()
_COMPLAINT = re.compile(r":CONSOLE[:(]\d+\)?\] (.*)")


def command() -> str:
    """The browser's program; skips the test where Ubuntu cannot have it."""
    if COMMAND is None and platform.freedesktop_os_release()["ID"] == "ubuntu":
        pytest.skip("Ubuntu has chromium only as a snap: to check this, install that or google-chrome")
    assert COMMAND is not None, "chromium is not installed"
    return COMMAND


@dataclass(frozen=True)
class Page:
    """A page that was opened."""

    html: str
    complaints: tuple[str, ...]


def open_page(path: Path, *options: str) -> Page:
    """Opens a file and lets its scripts run for ten seconds of their time, which pass as fast as they can."""
    arguments = [
        command(),
        "--headless",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--enable-logging=stderr",
        "--host-resolver-rules=MAP * ~NOTFOUND",  # a report needs no network
        "--virtual-time-budget=10000",
        "--window-size=1200,1600",
        "--force-color-profile=srgb",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),  # the sandbox refuses root
        *(options or ["--dump-dom"]),
        path.absolute().as_uri(),
    ]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=True)
    return Page(done.stdout, tuple(_COMPLAINT.findall(done.stderr)))


def screenshot(path: Path, picture: Path) -> Path:
    """Takes a picture (PNG) of a page."""
    open_page(path, f"--screenshot={picture.absolute()}")
    return picture
