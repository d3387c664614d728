# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A path between virtual machines whose kernel speaks RoCEv2, where they can be; without, a reason.

TESTER_REQUIRE_GUESTS has them fail in place of being skipped: `make test-guests` installs what they need.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from TesterLibrary.errors import NotInstalled
from TesterLibrary.files import paths
from TesterLibrary.testbeds import list_testbeds, open_testbed, shipped_testbeds
from TesterLibrary.testbeds.embedded.rdma_guests import WANTED
from TesterLibrary.testbeds.guest.parts import find_parts
from TesterLibrary.testbeds.processes import all_pids, command_line

from .robots import check_passed, robot

SUITE = paths.suite_root() / "inline" / "roce_rxe.robot"
TESTS = 12
SHIPPED = "embedded/rdma-guests"
# Opens the testbed, says so, and lives until it is killed.
OWNER = f"""
import time
from TesterLibrary.testbeds import open_testbed
open_testbed({SHIPPED!r})
print("open", flush=True)
time.sleep(600)
"""


@pytest.fixture
def installed() -> None:
    """Skips a test where guests cannot be made, with what is missing."""
    try:
        find_parts(WANTED, Path("/"))
    except NotInstalled as missing:
        if os.environ.get("TESTER_REQUIRE_GUESTS"):
            raise
        pytest.skip(missing.reason)


def test_without_a_kernel_for_them_the_suite_is_skipped_with_the_reason(tmp_path: Path) -> None:
    """The kernel is looked for where there is none, whatever this machine has."""
    text = shipped_testbeds()[SHIPPED].read_text(encoding="utf-8")
    file = tmp_path / "guests.yaml"
    file.write_text(text.replace("  options:\n", f"  options:\n    kernel: {tmp_path}\n"), encoding="utf-8")
    tests = robot(SUITE, tmp_path / "run", f"TESTBED:{file}")
    assert len(tests) == TESTS
    for test in tests.values():
        assert test.skipped
        assert "INCONCLUSIVE: embedded testbed 'rdma-guests' cannot be set up: it needs " in test.message
        assert f"a kernel with the module rdma_rxe in {tmp_path}/boot; install the packages " in test.message
        assert "linux-image-amd64" in test.message
    assert list_testbeds() == ()


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("installed")
def test_the_shipped_suite_passes(tmp_path: Path) -> None:
    tests = robot(SUITE, tmp_path, seconds=1200)
    assert len(tests) == TESTS
    check_passed(tests)


@pytest.mark.long
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("which", ["owner", "host"])
def test_guests_end_with_whoever_has_the_testbed(which: str) -> None:
    before = set(guests())
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    try:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "open\n"
        (testbed,) = [bed for bed in list_testbeds() if bed.owner.pid == owner.pid]
        made = set(guests()) - before
        assert len(made) == 2
        os.kill(owner.pid if which == "owner" else testbed.host.pid, signal.SIGKILL)
        deadline = time.monotonic() + 20
        while made & set(guests()) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert made & set(guests()) == set()
    finally:
        owner.kill()
        owner.wait()


def guests() -> list[int]:
    """The processes of QEMU."""
    return [pid for pid in all_pids() if (command_line(pid) or [""])[0].endswith("qemu-system-x86_64")]


@pytest.mark.long
@pytest.mark.usefixtures("installed")
def test_a_guest_is_a_host_with_a_kernel_of_its_own() -> None:
    before = guests()
    with open_testbed(SHIPPED) as bed:
        words = bed.host_command("server", ["uname", "-sr"])
        said = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
        assert said.strip() == bed.testbed.dut.version
        assert bed.hosts == ("client", "server")
    assert guests() == before
