# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Events on paths: they happen to the packets that they name, to no other one, or never; and their traces."""

from __future__ import annotations

import random
from collections import Counter as Tally
from collections.abc import Sequence
from dataclasses import dataclass, replace

from TesterLibrary.measurement.evidence import EvidenceLimits
from TesterLibrary.measurement.inline import statistics_of
from TesterLibrary.measurement.traces.trace import PathTrace
from TesterLibrary.methodology.verdicts.path import all_events_fired, traces_complete
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.inline import Corrupt, Drop, Event, Mark
from tests.contract.path_rig import PathRig, SwitchPathRig, clear, fate, segment, start
from tests.unit.measurement import roce_traces

from .case import SWITCH, Case, judge, judge_on

_WATCH = HeaderStack.parse("IP / TCP")
_ACTIONS = {"dropped": Drop(), "marked": Mark(), "corrupted": Corrupt()}
_FIRST_PORT = 4000
_Place = tuple[int, int, int]  # flow, number of the packet, transmission: each from 1


@dataclass(frozen=True)
class Passage:
    """The segments of some flows on a path, in their order, and the events that are planted in it."""

    sent: tuple[_Place, ...]
    planted: dict[_Place, str]  # fates

    @property
    def unmet(self) -> list[_Place]:
        """The planted places of which no packet was sent: their events do not happen."""
        return sorted(set(self.planted) - set(self.sent))

    @property
    def frames(self) -> list[bytes]:
        """The frames of these segments."""
        return [segment(number, sport=_FIRST_PORT + flow) for flow, number, _ in self.sent]

    @property
    def events(self) -> list[Event]:
        """The events that a path is given."""
        return [
            Event(
                action=_ACTIONS[name],
                flow=flow,
                number=number,
                iteration=iteration,
                headers=_WATCH,
                heading=Heading.FORWARD,
                data_only=True,
            )
            for (flow, number, iteration), name in self.planted.items()
        ]

    def is_right(self, left: Sequence[bytes]) -> bool:
        """Whether the frames that left are those that were sent, but for what the events say."""
        fates = [self.planted.get(place, "passed") for place in self.sent]
        rest = [(frame, name) for frame, name in zip(self.frames, fates, strict=True) if name != "dropped"]
        return len(rest) == len(left) and all(
            fate(frame, seen) == name for (frame, name), seen in zip(rest, left, strict=True)
        )

    def __str__(self) -> str:
        return f"{len(self.sent)} segments, {self.planted}, never sent {self.unmet}"


def random_passage(draw: random.Random) -> Passage:
    """Flows that begin one after the other, with segments that are sent up to three times."""
    flows = draw.randint(1, 3)
    sent: list[_Place] = []
    newest: Tally[int] = Tally()
    times: Tally[tuple[int, int]] = Tally()
    begun = 0
    for _ in range(draw.randint(5, 40)):
        flow = draw.randint(1, min(flows, begun + 1))
        begun = max(begun, flow)
        number = newest[flow] + 1
        if newest[flow] and draw.random() < 0.3:
            number = draw.randint(1, newest[flow])
        if times[flow, number] == 3:
            continue
        newest[flow] = max(newest[flow], number)
        times[flow, number] += 1
        sent.append((flow, number, times[flow, number]))
    places = draw.sample(sent, min(len(sent), draw.randint(1, 4)))
    if draw.random() < 0.3:
        flow, number, _ = draw.choice(sent)
        places.append(
            draw.choice(
                [(flows + 1, 1, 1), (flow, newest[flow] + 1, 1), (flow, number, times[flow, number] + 1)]
            )
        )
    return Passage(tuple(sent), {place: draw.choice(list(_ACTIONS)) for place in places})


def events_case(draw: random.Random, rig: PathRig, target: str) -> Case:
    """An event that happens to another packet than its own is as bad as one that does not happen."""
    passage = random_passage(draw)
    try:
        start(rig, *passage.events)
        before = rig.target.snapshot(["wan"])
        left = rig.pass_frames(passage.frames)
        after = rig.target.snapshot(["wan"])
    finally:
        clear(rig)
    statistics = statistics_of(before, after, "wan", after.path("wan", "wan"), EvidenceLimits())
    verdict = all_events_fired([statistics])
    right = passage.is_right(left)
    truth = None if passage.unmet and right else right
    about = f"{passage}; as planted: {right}; {statistics}"
    return Case(
        "events fired", truth, verdict, "a packet was not sent" if passage.unmet else "", about, target
    )


@judge_on(SWITCH)
def switch_events(draw: random.Random) -> Case:
    return events_case(draw, SwitchPathRig(), SWITCH)


@judge
def complete_trace(draw: random.Random) -> Case:
    """A trace that lacks a packet, has one twice or in another place, or a time that goes back."""
    wire = roce_traces.Wire()
    for psn in range(draw.randint(3, 12)):
        wire.data(psn, lost=draw.random() < 0.1)
    whole = wire.trace()
    fault = draw.choice(["", "", "packet", "last packet", "twice", "place", "time", "room", "other path"])
    trace, complete = _damaged(draw, whole, fault), not fault
    about = f"{fault=} {len(trace.packets)} of {len(whole.packets)} packets"
    verdict = traces_complete([trace])
    return Case("complete trace", complete or None, verdict, fault and "a hole in the trace", about)


def _damaged(draw: random.Random, trace: PathTrace, fault: str) -> PathTrace:
    packets, at = list(trace.packets), draw.randrange(len(trace.packets) - 1)
    changes: dict[str, int] = {}
    match fault:
        case "packet":
            del packets[at]
        case "last packet":
            packets.pop()
        case "twice":
            packets.insert(at, packets[at])
        case "place":
            packets[at], packets[at + 1] = packets[at + 1], packets[at]
        case "time":
            packets[at + 1] = replace(packets[at + 1], arrived_ns=packets[at].arrived_ns - 1)
        case "room":
            del packets[at]
            changes = {"dropped": 1}
        case "other path":
            changes = {"received": trace.received + 1, "due": trace.due + 1}
    return replace(trace, packets=tuple(packets), **changes)
