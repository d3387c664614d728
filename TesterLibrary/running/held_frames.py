# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that a port of the tester has taken and not sent yet: they are in its transmit ring.

An interface that is slower than the load fills the ring and empties it after the trial. So a trial waits for
these frames before it begins and after its end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction

from ..measurement.snapshot import Snapshot
from .clock import POLL_S
from .tester import Tester

_PATIENCE_NS = 2 * 10**9  # without a frame that leaves


def held_frames(snapshot: Snapshot, ports: Collection[str]) -> dict[str, int]:
    """The ports that hold frames, and how many."""
    return {name: frames for name in ports if (frames := snapshot.port(name).tx_held)}


def await_sent(tester: Tester, snapshot: Snapshot, ports: Collection[str], jobs: Collection[str]) -> Snapshot:
    """The counters once the ports have sent what they hold, or none of it for two seconds.

    A port on which another job is sending always holds some: nothing is waited for then.
    """
    if not held_frames(snapshot, ports) or _others_send(tester, jobs):
        return snapshot
    fewest, since_ns = sum(held_frames(snapshot, ports).values()), snapshot.taken_at_ns
    for snapshot in tester.clock.readings(lambda: tester.target.snapshot(tuple(jobs))):
        frames = sum(held_frames(snapshot, ports).values())
        if frames < fewest:
            fewest, since_ns = frames, snapshot.taken_at_ns
        if not frames or snapshot.taken_at_ns - since_ns >= _PATIENCE_NS:
            break
    return snapshot


class HeldFrames:
    """The frames that the ports of a trial held before it and after its last departure."""

    def __init__(self, tester: Tester, ports: Collection[str], job: str) -> None:
        self._tester, self._ports, self._job = tester, sorted(set(ports)), job
        self._before: Mapping[str, int] = {}
        self._behind: Mapping[str, int] = {}
        self._sent: Mapping[str, int] = {}
        self._after: Mapping[str, int] = {}

    def begin(self, before: Snapshot) -> None:
        """Notes the counters before the trial."""
        self._before = self._counted(before)
        self._behind, self._after = {}, {}
        self._sent = {name: before.port(name).tx_packets for name in self._ports}

    def await_sent(self, snapshot: Snapshot) -> Snapshot:
        """The counters once the ports have sent what they hold, or none of it for two seconds."""
        if not held_frames(snapshot, self._ports):
            return snapshot
        self._tester.clock.sleep(POLL_S)  # the driver may tell late that a frame has left
        snapshot = self._tester.target.snapshot([self._job])
        self._behind = self._counted(snapshot)
        self._sent = {name: snapshot.port(name).tx_packets - earlier for name, earlier in self._sent.items()}
        snapshot = await_sent(self._tester, snapshot, self._ports, [self._job])
        self._after = self._counted(snapshot)
        return snapshot

    def objections(self, most_behind: Fraction) -> Iterator[str]:
        """Ports that sent frames of another trial, or later than asked: more than this part of all."""
        for name in self._ports:
            if before := self._before.get(name):
                yield (f"port {name} still held {before:,} frames of earlier traffic when the trial began")
            behind = self._behind.get(name, 0)
            if after := self._after.get(name):
                yield f"port {name} still holds {after:,} frames that it took and has not sent"
            elif behind > most_behind * self._sent[name]:
                yield (
                    f"port {name} held {behind:,} of {self._sent[name]:,} frames after the last departure: "
                    "its interface is slower than the load"
                )

    def _counted(self, snapshot: Snapshot) -> Mapping[str, int]:
        frames = held_frames(snapshot, self._ports)
        return frames if frames and not _others_send(self._tester, [self._job]) else {}


def _others_send(tester: Tester, jobs: Collection[str]) -> bool:
    """Whether a job besides these is sending."""
    everything = tester.target.snapshot()
    own = {s.id for s in tester.target.snapshot(tuple(jobs)).streams}
    sending = any(s.sending for s in everything.streams if s.id not in own)
    return sending or any(end.opening for end in everything.ends if end.job not in jobs)
