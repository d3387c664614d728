# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""One random device with planted conditions, and what the library says of it."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from io import StringIO
from math import lcm, log2
from pathlib import Path
from typing import Any

import yaml

from TesterLibrary.methodology.diagnosis import (
    Diagnosis,
    DiagnosisResult,
    Factor,
    FailingTraffic,
    FrameKind,
    TrafficStream,
    diagnose_loss,
)
from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.mix import parse_frame_sizes
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, Rate
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.opening import open_tester
from TesterLibrary.running.procedures.diagnosis import TargetExperiments
from TesterLibrary.targets.simulated.drops import DropCounter
from TesterLibrary.testbeds.drop_rule import DropRule
from tests.unit.methodology.diagnosis.planted import Frame as PlantedFrame
from tests.unit.methodology.diagnosis.planted import PlantedDevice

from .sentence import Frame, Said, read

_SIZES = (64, 128, 256, 512, 570, 1024, 1280, 1400, 1518)
_BUDGET = Duration(600 * 10**9)  # of the simulated clock
_OF_TIME = ("each", "first", "above")
_PORTS = {"north": "p1", "south": "p2"}
_CONSTANT = {"UDP.sport": 49184, "UDP.dport": 7, "IP.tos": 0}  # as the planner has them by default


@dataclass
class Case:
    """A device, its traffic, and what was said."""

    number: int
    rules: list[dict[str, Any]]
    streams: list[Stream]
    short: bool = False  # the tester cannot send what is asked
    whole: bool = False  # through the whole library, with a simulated tester; else the procedure alone
    result: DiagnosisResult | None = None
    seconds: float = 0
    said: list[Said] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)  # of the traffic

    @property
    def named(self) -> bool:
        """Whether the causes are named, and right."""
        return bool(self.result and self.result.explained) and self.right

    @property
    def confident_wrong(self) -> bool:
        """Whether a cause is named that is not the planted one."""
        return bool(self.result and self.result.explained) and not self.right

    @property
    def right(self) -> bool:
        """Whether the sentence says of each frame of the traffic what the device does."""
        contents = [said.holds for said in self.said if said.kind == "content" and said.holds]
        planted = [rule for rule in self.rules if not _time_of(rule)]
        for frame in self.frames:
            if any(holds(frame) for holds in contents) != any(matches(rule, frame) for rule in planted):
                return False
        times = [rule for rule in self.rules if _time_of(rule)]
        said_times = [said for said in self.said if said.kind != "content"]
        return len(times) == len(said_times) and all(
            any(_agrees(rule, said) for said in said_times) for rule in times
        )

    def __str__(self) -> str:
        traffic = "; ".join(
            f"{s.name}: {s.frame_size} at {s.rate}, {', '.join(str(e.mode) for e in s.editors)}"
            for s in self.streams
        )
        return f"case {self.number}: {self.rules} on {traffic}\n    said: {self.result}"


def _time_of(rule: dict[str, Any]) -> str:
    return next((name for name in _OF_TIME if name in rule), "")


def _agrees(rule: dict[str, Any], said: Said) -> bool:
    name = _time_of(rule)
    if name != said.kind:
        return False
    if name == "above":
        rate = float(Rate.parse(rule["above"]).value)
        return said.number * 0.97 <= rate <= said.other * 1.03
    return bool(said.number == rule[name])


def matches(rule: dict[str, Any], frame: Frame) -> bool:
    """Whether a frame looks as a rule says."""
    if "from" in rule and frame["from"] != rule["from"]:
        return False
    if "size" in rule and not _within(rule["size"], frame["size"]):
        return False
    if "field" not in rule:
        return True
    value = int(str(frame[rule["field"]]))
    if "values" in rule:
        return _within(rule["values"], value)
    one, two = (int(part, 0) for part in str(rule.get("bits") or rule.get("remainder")).split("/"))
    return value & two == one if "bits" in rule else value % two == one


def _within(ranges: object, value: object) -> bool:
    parts = [part.strip().partition("-") for part in str(ranges).split(",")]
    return any(int(first) <= int(str(value)) <= int(last or first) for first, _, last in parts)


def random_case(seed: int, number: int, conditions: int) -> Case:
    """A device with so many conditions, each of which loses frames of the traffic that others do not lose."""
    draw = random.Random(f"{seed} {number}")
    while True:
        streams = _traffic(draw)
        rules: list[dict[str, Any]] = []
        for _ in range(conditions):
            timed = any(_time_of(rule) for rule in rules)
            rules.append(_content(draw, streams) if timed or draw.random() < 0.7 else _timed(draw))
        rules.sort(key=lambda rule: bool(_time_of(rule)))
        if all(_is_visible(rule, [r for r in rules if r is not rule], streams) for rule in rules):
            return Case(number, rules, streams)


def _is_visible(rule: dict[str, Any], others: list[dict[str, Any]], streams: Sequence[Stream]) -> bool:
    """Whether a rule loses frames of the traffic beside the others, and leaves other frames alone."""
    frames = [*_frames(traffic_of(streams))]
    alone = [frame for frame in frames if not any(matches(r, frame) for r in others if not _time_of(r))]
    if not _time_of(rule):
        sizes = [{**frame, "size": size} for frame in frames[:1] for size in range(64, 1519)]
        contents = [rule, *(r for r in others if not _time_of(r))]
        spared = any(not any(matches(r, frame) for r in contents) for frame in (*frames, *sizes))
        return spared and any(matches(rule, frame) for frame in alone)
    frames_left = [
        frame
        for stream in traffic_of(streams).streams
        for frame in (_frame(kind, stream.tx) for kind in stream.period)
        if not any(matches(r, frame) for r in others if not _time_of(r))
    ]
    frames_in_all = sum(len(stream.period) for stream in traffic_of(streams).streams)
    part = len(frames_left) / frames_in_all
    if "above" in rule:  # rules before it take their frames off its rate
        return part * float(streams[0].rate.value) > 1.1 * float(Rate.parse(rule["above"]).value)
    return part > 0.5


def _traffic(draw: random.Random) -> list[Stream]:
    sizes = draw.sample(_SIZES, draw.choice((1, 1, 3, 4)))
    mix = " ".join(f"{size}:{draw.randint(1, 3)}" for size in sizes) if len(sizes) > 1 else str(sizes[0])
    editors = []
    if draw.random() < 0.6:
        first = draw.randint(1024, 60_000)
        path = FieldPath.parse(draw.choice(("UDP.dport", "UDP.sport")))
        editors.append(Editor(path, Sweep(str(first), str(first + draw.randint(1, 40)))))
    if draw.random() < 0.3:
        path = FieldPath.parse("IP.tos")
        editors.append(Editor(path, Sweep("0", str(4 * draw.randint(2, 40)), "4")))
    rate = Rate.parse(f"{draw.choice((2, 4, 8))} kpps")
    north = Stream(
        "north", tx="p1", rx="p2", frame_size=parse_frame_sizes(mix), rate=rate, editors=tuple(editors)
    )
    if draw.random() < 0.3:
        return [north, Stream("south", "p2", "p1", north.frame_size, rate, editors=north.editors)]
    return [north]


def _content(draw: random.Random, streams: Sequence[Stream]) -> dict[str, Any]:
    """A condition on the content of frames that some frames of the traffic fulfil."""
    stream = draw.choice(streams)
    kinds = ["size", "size", *(["field"] * 3 if stream.editors else []), *(["from"] * (len(streams) - 1))]
    kind = draw.choice(kinds)
    if kind == "from":
        return {"from": stream.tx}
    if kind == "size":
        size = draw.choice(stream.frame_size.order)
        first, last = max(64, size - draw.randint(0, 300)), size + draw.randint(0, 300)
        return {"size": draw.choice((f"{first}-{last}", f"{size}", f"{first}-{1600}"))}
    editor = draw.choice(stream.editors)
    values = _swept(editor)
    value = draw.choice(values)
    rule: dict[str, Any] = {"field": str(editor.path)}
    how = draw.choice(("values", "range", "bits", "remainder"))
    if how == "values":
        rule["values"] = str(value)
    elif how == "range":
        rule["values"] = f"{max(0, value - draw.randint(0, 20))}-{value + draw.randint(0, 20)}"
    elif how == "bits":
        width = 8 if "tos" in rule["field"] else 16
        mask = draw.getrandbits(width) & draw.getrandbits(width) or 4
        rule["bits"] = f"{value & mask:#x}/{mask:#x}"
    else:
        divisor = draw.randint(2, 12)
        rule["remainder"] = f"{value % divisor}/{divisor}"
    return rule


def _timed(draw: random.Random) -> dict[str, Any]:
    kind = draw.choice(_OF_TIME)
    if kind == "each":
        return {"each": draw.randint(2, 300)}
    if kind == "first":
        return {"first": draw.randint(1, 60), "idle": "500 ms"}
    return {"above": f"{draw.randint(700, 1900)} pps"}


def harmless_case(seed: int, number: int) -> Case:
    """A device that loses nothing, or a tester that cannot send what is asked; nothing is to be explained."""
    draw = random.Random(f"{seed} harmless {number}")
    streams = _traffic(draw)
    short = bool(number % 2)
    rules = [_content(draw, streams)] if short else []
    return Case(number, rules, streams, short=short)


def diagnose(case: Case) -> Case:
    """Lets the library diagnose the device of a case."""
    began = time.process_time()
    if case.whole:
        _diagnose_whole(case)
    else:
        device = PlantedDevice(
            drops(case.rules),
            traffic_of(case.streams),
            frames_per_second=sum((Fraction(s.rate.value) for s in case.streams), start=Fraction(0)),
            short=(lambda _: "it sent half of the frames") if case.short else (lambda _: ""),
        )
        case.frames = [*_frames(device.traffic)]
        case.result = diagnose_loss(device, Diagnosis(_BUDGET, seed=case.number))
    assert case.result
    case.said = read(case.result.sentence) if case.result.explained else []
    case.seconds = time.process_time() - began
    return case


def drops(rules: Sequence[dict[str, Any]]) -> Callable[[PlantedFrame], bool]:
    """The drops of a simulated device; its rules are matched with kinds of frames, not with bytes."""
    counters = [(rule, {tx: DropCounter(DropRule.parse(rule)) for tx in ("p1", "p2")}) for rule in rules]

    def loses(frame: PlantedFrame) -> bool:
        tx = _PORTS[frame.kind.stream]
        looks = _frame(frame.kind, tx)
        return any(
            matches(rule, looks) and of_port[tx].drops(frame.at_ns, Fraction(1)) for rule, of_port in counters
        )

    return loses


def traffic_of(streams: Sequence[Stream]) -> FailingTraffic:
    """The traffic of streams, without a planner."""
    return FailingTraffic(tuple(map(_traffic_stream, streams)))


def _traffic_stream(stream: Stream) -> TrafficStream:
    sweeps = {str(editor.path): _swept(editor) for editor in stream.editors}
    fields = {"UDP.sport": range(1, 1 << 16), "UDP.dport": range(1, 1 << 16), "IP.tos": range(256)}
    order = stream.frame_size.order
    frames = lcm(len(order), *(len(values) for values in sweeps.values()))
    kinds = []
    for number in range(min(4096, frames)):
        values = [("frame size", order[number % len(order)])]
        values += [(n, sweeps[n][number % len(sweeps[n])] if n in sweeps else _CONSTANT[n]) for n in fields]
        kinds.append(FrameKind(stream.name, tuple(values)))
    factors = [Factor("frame size", range(64, 1519))]
    factors += [Factor(name, values, str) for name, values in fields.items()]
    return TrafficStream(stream.name, stream.tx, stream.rx, tuple(factors), tuple(kinds), frames <= 4096)


def _swept(editor: Editor) -> range:
    mode = editor.mode
    assert isinstance(mode, Sweep)
    return range(int(mode.first), int(mode.last) + 1, int(mode.step))


def _diagnose_whole(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        testbed = Path(folder) / "planted.yaml"
        testbed.write_text(_testbed(case.rules))
        opened = open_tester(
            str(testbed), seed=1, recorder=Recorder(Path(folder) / "run"), progress=Console(stream=StringIO())
        )
        try:
            if case.short:
                limit = min(Fraction(s.rate.value) for s in case.streams) / 2
                opened.tester.target.bench._tester_limit = int(limit)  # type: ignore[attr-defined]
            experiments = TargetExperiments(opened.tester, case.streams)
            case.frames = [*_frames(experiments.traffic)]
            case.result = diagnose_loss(experiments, Diagnosis(_BUDGET, seed=case.number))
        finally:
            opened.close()


def _frames(traffic: FailingTraffic) -> Iterator[Frame]:
    for stream in traffic.streams:
        for kind in dict.fromkeys(stream.period):
            yield _frame(kind, stream.tx)


def _frame(kind: FrameKind, port: str) -> Frame:
    values = dict(kind.values)
    return {"size": values.pop("frame size"), "from": port, "stream": kind.stream, **values}


def _testbed(rules: Sequence[dict[str, Any]]) -> str:
    ports = [{"name": f"p{n}", "speed": "200 Mbps", "address": f"198.18.1.{n + 1}/16"} for n in (1, 2)]
    options = {"drops": list(rules)} if rules else {}
    dut = {"name": "planted", "kind": "simulated", "layer": 2, "options": options}
    return yaml.safe_dump({"version": 1, "name": "planted", "description": "", "ports": ports, "dut": dut})


def most_experiments(case: Case) -> float:
    """The goal: twice the logarithm of the conditions that the record left open, about 2^16 for each rule."""
    return 2 * log2(2**16) * max(1, len(case.rules))
