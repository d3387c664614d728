# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A driver that is killed leaves no stream behind: a switch would send for ever, and count to 2^32 anew."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.targets.tofino.vendor.serving import Client, Refusal

from .orphan import command
from .test_target import PATIENCE, RATE, Driven

HELD = {"stage_passes": 0, "stage_last": 0}
STAGES = f"{RATE}correction.stages"


def test_a_driver_that_is_killed_leaves_no_frames_behind(tmp_path: Path) -> None:
    report = tmp_path / "report"
    with subprocess.Popen(command("drive", report), stdout=subprocess.PIPE, text=True) as driver:
        assert driver.stdout
        assert driver.stdout.readline() == "sending\n"
        driver.send_signal(signal.SIGKILL)
    until = time.monotonic() + 3 * PATIENCE.seconds
    while not report.exists() or not report.read_text():
        assert time.monotonic() < until, "the switch has not seen that its driver was killed"
        time.sleep(0.05)
    first, *later = json.loads(report.read_text())
    assert first > 0
    assert later == [first] * len(later)


class Written:
    """Batches that a switch was given; it may be gone."""

    def __init__(self, *, gone: bool = False) -> None:
        self.batches: list[Any] = []
        self._gone = gone

    def write(self, batch: Any) -> None:
        if self._gone:
            raise Refusal("gone", "no daemon")
        self.batches.append(batch)


@pytest.mark.parametrize(("told", "written"), [([["a"], ["b"]], [["b"]]), ([["a"], []], []), ([], [])])
def test_what_was_told_last_is_written_when_a_client_is_lost(told: list[Any], written: list[Any]) -> None:
    switch = Written()
    client = Client(switch)
    for batch in told:
        assert client.answer({"do": "on_loss", "batch": batch}) == {"done": None}
    assert switch.batches == []
    client.lost()
    assert switch.batches == written


def test_a_switch_that_is_gone_too_is_no_error() -> None:
    client = Client(Written(gone=True))
    client.on_loss([{"table": "t"}])
    client.lost()


def held(bench: Driven) -> list[bool]:
    return [own.data == HELD for own in bench.entries(STAGES)]


def test_streams_are_held_when_a_driver_ends_without_closing_and_only_those_that_are_loaded() -> None:
    bench = Driven()
    bench.target.load(bench.plan())
    bench.target.load(bench.plan("south", first=2))
    bench.target.start(["north", "south"])
    assert held(bench) == [False, False]
    bench.target.unload(["south"])
    bench.target.session._switch.close()
    assert held(bench) == [True]


def test_a_session_that_was_closed_leaves_nothing_to_be_written() -> None:
    bench = Driven()
    bench.target.load(bench.plan())
    bench.target.start(["north"])
    bench.target.close()
    assert bench.matched() == {}
