# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A driver that is killed leaves nothing behind that sends or answers.

A switch would send for ever, because its units count to 2^32 and begin anew, and answer in the name of
stations that are no more.
"""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.model.endpoints import AddressRange, Endpoints, PortRange
from TesterLibrary.model.job import Job
from TesterLibrary.model.responder import Responder
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.tofino.vendor.serving import Client, Refusal

from .driver.test_target import PATIENCE, RATE, Driven
from .orphan import command
from .rig import cabling

HELD = {"stage_passes": 0, "stage_last": 0}
STAGES = f"{RATE}correction.stages"
ANSWERS = ("external.ExternalIngress.classifier.classes", "external.ExternalIngress.reply_rows.rows")
LOOPBACKS = tuple(range(128, 160, 4))
WEB = Endpoints(AddressRange.parse("198.18.1.10"), PortRange(80))
RESPONDERS = (
    Responder(name="http", port="p1", protocol="http-get", servers=WEB),
    Responder(name="udp", port="p2", protocol="udp-echo", parameters={"port": 7}),
)


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
    """Batches that a switch was given; it may be gone, or refuse to write."""

    def __init__(self, *, gone: bool = False) -> None:
        self.batches: list[Any] = []
        self.deleted: list[Any] = []
        self._gone = gone

    def write(self, batch: Any) -> None:
        if self._gone:
            raise Refusal("gone", "no daemon")
        self.batches.append(batch)

    def delete(self, batch: Any) -> None:
        self.deleted.append(batch)


@pytest.mark.parametrize(("told", "written"), [([["a"], ["b"]], [["b"]]), ([["a"], []], []), ([], [])])
def test_what_was_told_last_is_done_when_a_client_is_lost(told: list[Any], written: list[Any]) -> None:
    switch = Written()
    client = Client(switch)
    for batch in told:
        assert client.answer({"do": "on_loss", "batch": batch, "removed": batch}) == {"done": None}
    assert switch.batches == switch.deleted == []
    client.lost()
    assert switch.batches == switch.deleted == written


def test_a_switch_that_is_gone_too_is_no_error() -> None:
    switch = Written(gone=True)
    client = Client(switch)
    client.on_loss([{"table": "t"}], [{"table": "u"}])
    client.lost()
    assert switch.deleted == [[{"table": "u"}]]  # tried, too


def held(tester: Driven) -> list[bool]:
    return [entry.data == HELD for entry in tester.entries(STAGES)]


def test_streams_are_held_when_a_driver_ends_without_closing_and_only_those_that_are_loaded() -> None:
    tester = Driven()
    tester.target.load(tester.plan())
    tester.target.load(tester.plan("south", first=2))
    tester.target.start(["north", "south"])
    assert held(tester) == [False, False]
    tester.target.unload(["south"])
    tester.target.session._switch.close()
    assert held(tester) == [True]


def test_a_session_that_was_closed_leaves_nothing_to_be_written() -> None:
    tester = Driven()
    tester.target.load(tester.plan())
    tester.target.start(["north"])
    tester.target.close()
    assert tester.matched() == {}


def answering(tester: Driven) -> list[int]:
    return [len(tester.entries(table)) for table in ANSWERS]


def with_responders() -> Driven:
    """Has a job with a stream and two responders loaded; one of them keeps a state."""
    tester = Driven()
    tester.target.close()
    tester.target = tester.opened(loopbacks=LOOPBACKS)
    ports = {front.port.name: front.port for front in cabling().front}
    stream = Stream("north", "p1", "p2", FrameSize(128), Rate.parse("1 kpps"))
    job = Job("both", (stream,), ends=RESPONDERS)
    tester.target.load(compile_job(job, ports=ports, gateways={}, max_streams=9))
    return tester


def test_responders_fall_silent_when_a_driver_ends_without_closing() -> None:
    tester = with_responders()
    silent = answering(tester)
    tester.target.start(["both"])
    assert all(now > before for now, before in zip(answering(tester), silent, strict=True))
    tester.target.session._switch.close()
    assert answering(tester) == silent
    assert held(tester) == [True]


def test_responders_that_are_stopped_are_none_of_what_is_left() -> None:
    """Deleting an entry that is not there fails, and that error would keep the other entries."""
    tester = with_responders()
    tester.target.start(["both"])
    tester.target.stop(["both"])
    before = answering(tester)
    tester.target.session._switch.close()
    assert answering(tester) == before


def test_the_next_driver_finds_a_switch_without_streams_and_responders() -> None:
    nothing = Driven().matched()
    tester = with_responders()
    tester.target.start(["both"])
    tester.daemon.taken_by = None  # killed with the process that speaks to the switch
    tester.target = tester.opened()
    assert tester.matched() == nothing
    assert tester.target.snapshot().streams == ()
