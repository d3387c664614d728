# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot as a process of its own, which ends cleanly with the command that started it."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Sequence

from ..reporting.recorder import RUN_VARIABLE
from ._signals import asked_to_end

_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)


def run_robot(arguments: Sequence[str], run_id: str) -> bool:
    """Runs Robot with these options and suites, whose records belong to a run. True if it was interrupted."""

    def forward(signals: Sequence[int]) -> None:
        # Robot ends a run cleanly on the first one and at once on the second. It has a session of its own,
        # so that it gets each once.
        if robot.poll() is None:
            robot.send_signal(signals[-1])

    command = [sys.executable, "-m", "robot", *arguments]
    environment = {**os.environ, RUN_VARIABLE: run_id}
    with (
        subprocess.Popen(
            command, env=environment, start_new_session=True, preexec_fn=_end_with_parent
        ) as robot,
        asked_to_end(forward) as interrupted,
    ):
        robot.wait()
    return bool(interrupted)


def literal(name: str) -> str:
    """A pattern of Robot that this name alone matches."""
    return "".join(f"[{sign}]" if sign in "[*?" else sign for sign in name)


def _end_with_parent() -> None:
    """Ends this process with its parent, so that no traffic goes on after the command was killed."""
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGTERM)
