# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of the MACs of a switch's ports, from the daemon to the evidence of a trial."""

from __future__ import annotations

from TesterLibrary.measurement.counter import Counter
from TesterLibrary.measurement.evidence import Evidence, EvidenceLimits
from TesterLibrary.measurement.snapshot import PortCounters, Snapshot
from TesterLibrary.model.plan.plan import Plan

from ..driver.test_target import PATIENCE, Driven

FIELDS = ("rx_errors", "tx_errors", "rx_pause", "rx_missed")
NAMES = (
    "$FrameswithanyError",
    "$FramesTransmittedwithError",
    "$FramesReceivedoftypePAUSE",
    "$FramesDroppedBufferFull",
)


def read(port: PortCounters) -> tuple[int | None, ...]:
    return tuple(getattr(port, name) for name in FIELDS)


class Trial(Driven):
    """Ten frames, and what the MAC of a port meets meanwhile."""

    def __init__(self, port: str = "p2", **met: int) -> None:
        super().__init__()
        number = self.target.session.numbers[port]
        for name in NAMES:  # before the session, so of nobody's
            self.daemon.meet(number, name, 1000)
        self.target.close()
        self.target = self.opened()
        self.loaded: Plan = self.plan()
        self.target.load(self.loaded)
        self.before = self.target.snapshot()
        self.target.start(["north"], packets=10)
        for name, frames in met.items():
            self.daemon.meet(number, f"${name}", frames)
        self.target.wait(["north"], timeout=PATIENCE)
        self.after: Snapshot = self.target.snapshot()

    @property
    def evidence(self) -> Evidence:
        return Evidence.between(self.loaded, self.before, self.after)


def test_each_counter_is_that_of_its_port_since_the_begin() -> None:
    met = dict(zip((name[1:] for name in NAMES), (3, 4, 5, 6), strict=True))
    trial = Trial(**met)
    assert [read(port) for port in trial.after.ports] == [(0, 0, 0, 0), (3, 4, 5, 6)]
    assert Counter.TESTER_DROPS in trial.target.capabilities().counts


def test_frames_that_a_mac_had_no_room_for_make_a_trial_doubtful() -> None:
    (why,) = Trial(FramesDroppedBufferFull=2).evidence.objections(EvidenceLimits())
    assert why == (
        "2 frames were lost in the tester's own rings and interfaces (limit 0): 2 in its receive queues, "
        "0 by the kernel"
    )


def test_frames_that_a_mac_could_not_send_make_a_trial_doubtful() -> None:
    (why,) = Trial("p1", FramesTransmittedwithError=1).evidence.objections(EvidenceLimits())
    assert why == "port p1 could not send 1 of its frames (limit 0)"


def test_damaged_frames_and_pauses_are_the_devices() -> None:
    evidence = Trial(FrameswithanyError=7, FramesReceivedoftypePAUSE=1).evidence
    assert list(evidence.objections(EvidenceLimits())) == []
    assert evidence.remarks == (
        "7 frames arrived damaged (FCS or length) at port p2",
        "1 PAUSE frames arrived at port p2, which does not obey them",
    )


def test_what_a_daemon_does_not_say_is_absent() -> None:
    tester = Driven()
    tester.daemon.has_mac_counters = False
    tester.target.close()
    target = tester.opened()
    assert [read(port) for port in target.snapshot().ports] == [(None,) * 4] * 2
    assert Counter.TESTER_DROPS not in target.capabilities().counts


def test_a_model_has_no_macs() -> None:
    tester = Driven()
    tester.target.close()
    tester.daemon.meet(4, "$FrameswithanyError", 5)
    session = tester.session(has_transceivers=False)
    assert session.mac_counters() == [{}, {}]
