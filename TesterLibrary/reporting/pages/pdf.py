# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The certificate as PDF, printed by a browser of this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ...errors import TesterLibraryError

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_MOST_S = 120


def find_browser() -> str | None:
    """The first of BROWSERS that is installed."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def print_pdf(page: Path) -> Path:
    """Prints an HTML page to the PDF file beside it.

    Raises:
        TesterLibraryError: no browser is installed, or it printed nothing.
    """
    browser = find_browser()
    if browser is None:
        raise TesterLibraryError(f"{page.name} cannot be printed: install one of {', '.join(BROWSERS)}")
    printed = page.with_suffix(".pdf")
    printed.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        command = [
            *(browser, "--headless", "--disable-gpu", f"--user-data-dir={profile}"),
            *(("--no-sandbox",) if os.geteuid() == 0 else ()),  # it refuses root otherwise
            *("--no-pdf-header-footer", f"--print-to-pdf={printed.resolve()}", page.resolve().as_uri()),
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_MOST_S, check=False)
            cause = done.stderr.strip()[-300:]
        except subprocess.TimeoutExpired:
            cause = f"no answer within {_MOST_S} s"
    if not printed.is_file():
        raise TesterLibraryError(f"{browser} did not print {page.name}: {cause}")
    return printed
