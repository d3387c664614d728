# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from TesterLibrary.testbeds.processes import ProcessId, all_pids, command_line, open_namespaces

_STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); signal.pause()"


def _living() -> ProcessId:
    process = ProcessId.of(os.getpid())
    assert process is not None
    return process


def test_a_process_is_known_by_number_and_start() -> None:
    process = _living()
    assert process.is_alive()
    assert ProcessId.parse(str(process)) == process
    assert not ProcessId(process.pid, process.start + 1).is_alive()  # the number was given anew
    assert ProcessId.of(2**22 + 1) is None  # beyond the highest number there can be


def test_what_waits_to_be_reaped_lives_no_more() -> None:
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert ProcessId.of(child.pid) is None
    child.wait()


@pytest.mark.parametrize("text", ["", "1", "1:x", "a:1"])
def test_what_is_no_process(text: str) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        ProcessId.parse(text)


@pytest.mark.parametrize("stop", [False, True])
def test_a_stubborn_process_ends_all_the_same(stop: bool) -> None:
    with subprocess.Popen([sys.executable, "-c", _STUBBORN], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        if stop:
            child.send_signal(signal.SIGSTOP)
        process = ProcessId.of(child.pid)
        assert process is not None
        process.end(0.2)
        assert not process.is_alive()
        assert child.wait() == -signal.SIGKILL


def test_this_process_is_seen_and_its_namespace_spared() -> None:
    assert os.getpid() in all_pids()
    assert command_line(os.getpid())
    assert command_line(2**22 + 1) == []
    assert open_namespaces(os.getpid()) == []
