# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Robot's process, whose parent is killed."""

from __future__ import annotations

import subprocess
import sys

DEAF = """
import os, signal, sys, threading
from TesterLibrary.campaign.attached import end_with
from TesterLibrary.campaign.robot_process import kill_after
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_IGN)
kill_after(os.getppid(), 0)
end_with(os.getppid())
print("runs", flush=True)
threading.Event().wait()
"""
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"


def test_it_does_not_live_on_if_it_ignores_that_its_parent_was_killed() -> None:
    command = [sys.executable, "-c", PARENT, DEAF]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == "runs\n"
        parent.kill()
        assert parent.stdout.read() == ""  # at the end of the process that would print
