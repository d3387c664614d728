# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Tests of a command that is asked to end."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import pytest

WAITING = """
from TesterLibrary.campaign.end_signals import End
end = End()
print("waits", flush=True)
end.wait()
"""


@pytest.mark.parametrize("_", range(5))
def test_signals_that_interrupt_each_other_end_it(_: int) -> None:
    """An event of threading, set by a signal that interrupts another one, was never set."""
    with subprocess.Popen([sys.executable, "-c", WAITING], stdout=subprocess.PIPE, text=True) as waiting:
        assert waiting.stdout
        assert waiting.stdout.readline() == "waits\n"
        with suppress(ProcessLookupError):
            for _ in range(3000):
                waiting.terminate()
        try:
            assert waiting.wait(10) in (0, -15)  # -15: signals that come as Python ends
        finally:
            waiting.kill()
