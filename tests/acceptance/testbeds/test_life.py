# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""However an embedded testbed ends, nothing of it stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from TesterLibrary.errors import TestbedError
from TesterLibrary.testbeds import HostedTestbed, clean_stale, list_testbeds, open_testbed
from TesterLibrary.testbeds.processes import ProcessId

# Opens a testbed, starts something in it, and goes on until it is killed.
_OWNER = """
import signal, subprocess, sys, time
from TesterLibrary.testbeds import hosting, open_testbed
# A shell that starts tests in the background lets them, and us, ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
hosting.is_privileged = lambda: sys.argv[1] == "root"
testbed = open_testbed("l2-bridge")
inside = subprocess.Popen([*testbed.command_prefix, "sleep", "1000"], start_new_session=True)
print(inside.pid, flush=True)
time.sleep(1000)
"""


def _owner(rights: str) -> tuple[subprocess.Popen[str], ProcessId]:
    """A process that has a testbed open, and one that it has started inside."""
    owner = subprocess.Popen([sys.executable, "-c", _OWNER, rights], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    inside = ProcessId.of(int(owner.stdout.readline()))
    assert inside is not None
    # Until then it is still on its way in, where the host does not see it.
    assert _soon(lambda: Path(f"/proc/{inside.pid}/comm").read_text() == "sleep\n")
    return owner, inside


def _opened_by(pid: int) -> list[HostedTestbed]:
    return [testbed for testbed in list_testbeds() if testbed.owner.pid == pid]


def _soon(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 10
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_owner_leaves_nothing(rights: str, number: signal.Signals) -> None:
    owner, inside = _owner(rights)
    with owner:
        (testbed,) = _opened_by(owner.pid)
        assert not testbed.is_stale
        owner.send_signal(number)
        owner.wait()
        assert _soon(lambda: not testbed.host.is_alive() and not inside.is_alive())
        assert _opened_by(owner.pid) == []


def test_a_host_that_hangs_is_stale_and_the_next_open_removes_it(rights: str) -> None:
    owner, inside = _owner(rights)
    with owner:
        (testbed,) = _opened_by(owner.pid)
        os.kill(testbed.host.pid, signal.SIGSTOP)
        owner.kill()
        owner.wait()
    assert testbed.is_stale
    assert testbed in list_testbeds()
    assert "stale: its owner is gone" in str(testbed)
    with open_testbed("l2-bridge"):
        assert not testbed.host.is_alive()
        assert not inside.is_alive()
        assert testbed not in list_testbeds()
    assert testbed not in clean_stale()


def test_a_testbed_in_use_is_not_cleaned(rights: str) -> None:
    owner, inside = _owner(rights)
    with owner:
        (theirs,) = _opened_by(owner.pid)
        with open_testbed("l2-bridge") as ours:
            assert theirs not in clean_stale()
            assert len(_opened_by(os.getpid())) == 1
            assert ours.kernel_counters().keys() == {"p1", "p2"}
        assert theirs.host.is_alive()
        assert inside.is_alive()
        owner.kill()


def test_two_testbeds_of_one_process_know_nothing_of_each_other() -> None:
    with open_testbed("l2-bridge") as first, open_testbed("l2-bridge") as second:
        assert first.command_prefix != second.command_prefix
        first.close()
        assert second.kernel_counters().keys() == {"p1", "p2"}


def test_closing_ends_what_still_runs_inside() -> None:
    with open_testbed("l2-bridge") as testbed:
        inside = [
            subprocess.Popen([*p, "sleep", "1000"]) for p in (testbed.command_prefix, testbed.dut_prefix)
        ]
        assert _soon(lambda: all(Path(f"/proc/{p.pid}/comm").read_text() == "sleep\n" for p in inside))
        testbed.close()
        testbed.close()
    assert [process.wait(1) for process in inside] == [-signal.SIGTERM] * 2
    assert _opened_by(os.getpid()) == []


def test_a_host_that_was_killed_is_an_error_and_closes_all_the_same() -> None:
    with open_testbed("l2-bridge") as testbed:
        inside = subprocess.Popen([*testbed.command_prefix, "sleep", "1000"])
        assert _soon(lambda: Path(f"/proc/{inside.pid}/comm").read_text() == "sleep\n")
        (ours,) = _opened_by(os.getpid())
        os.kill(ours.host.pid, signal.SIGKILL)
        with pytest.raises(TestbedError, match=r"'l2-bridge'.*ended with status -9"):
            testbed.kernel_counters()
    assert inside.wait(1) == -signal.SIGTERM


def test_a_set_up_that_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    """The cables are there when the router finds that it has no addresses."""
    path = tmp_path / "twice.yaml"
    ports = "".join(f"  - {{name: p{n}, speed: 1 Gbps}}\n" for n in (1, 2))
    path.write_text(
        f"version: 1\nname: twice\nports:\n{ports}dut: {{name: r, kind: embedded, device: router}}\n"
    )
    with pytest.raises(TestbedError, match="'twice' cannot be set up: port 'p1': a router needs"):
        open_testbed(str(path))
    assert _opened_by(os.getpid()) == []


_WITHOUT_RIGHTS = """
echo 0 >/proc/sys/user/max_user_namespaces
exec setpriv --bounding-set -all --inh-caps -all "$0" -c '
from TesterLibrary.testbeds import open_testbed
open_testbed("l2-bridge")'
"""


def test_who_may_not_is_told_what_to_do() -> None:
    """The process is in a user namespace that allows no further ones, without capabilities."""
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", _WITHOUT_RIGHTS, sys.executable]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        "TestbedError: embedded testbed 'l2-bridge': it needs root, or user namespaces; "
        "user.max_user_namespaces = 0 forbids them; "
        "allow them: sudo sysctl -w user.max_user_namespaces=10000"
    )
