# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from TesterLibrary.errors import TestbedError
from TesterLibrary.testbeds import load_testbed
from TesterLibrary.testbeds.neighbour_table import NeighbourTable, fills_neighbour_table

_OTHER = """\
from TesterLibrary.testbeds.neighbour_table import NeighbourTable
table = NeighbourTable(60)
print(flush=True)
input()
table.release()
print(flush=True)
input()
"""


@contextmanager
def other_process() -> Iterator[subprocess.Popen[str]]:
    """One that has the table, and gives it back when it is told to."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", _OTHER], stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            process.kill()


def test_a_second_one_is_told_who_has_it() -> None:
    with other_process() as other, pytest.raises(TestbedError) as refused:
        NeighbourTable(0)
    assert f"process {other.pid} has a testbed open that fills it, still after 0 s" in str(refused.value)


def test_it_is_free_again_when_it_is_released() -> None:
    with other_process() as other:
        print(file=other.stdin, flush=True)
        assert other.stdout is not None
        other.stdout.readline()
        NeighbourTable(0).release()


def test_a_holder_that_was_killed_has_it_no_more() -> None:
    with other_process() as other:
        other.kill()
        other.wait()
        NeighbourTable(0).release()


def test_a_second_one_waits() -> None:
    with other_process() as other:
        begun = time.monotonic()
        process = subprocess.Popen(["sh", "-c", f"sleep 0.5; kill {other.pid}"])
        NeighbourTable(30).release()
        assert 0.4 < time.monotonic() - begun < 20
        process.wait()


def test_only_routers_that_forget_fill_it() -> None:
    filling = {
        name: fills_neighbour_table(load_testbed(name).dut.options) for name in ("arp-router", "l3-router")
    }
    assert filling == {"arp-router": True, "l3-router": False}
