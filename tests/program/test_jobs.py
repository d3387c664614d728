# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Jobs at random run on the fake chip and on the program: frame by frame and number by number the same."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from TesterLibrary.model.departures import Poisson, Shape, TimePattern, UniformGaps
from TesterLibrary.model.editor import Editor, FieldPath, FieldValues, Mode, RandomField, Sweep
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.job import Job
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job
from tests.contract.rig import SwitchRig

from .program import P4Program
from .twins import Twins

_HEADERS = (
    "Ether / IP(dst=198.18.0.{}) / UDP",
    "Ether / Dot1Q(vlan=7) / IP(dst=198.18.0.{}) / UDP",
    "Ether / IPv6(src=2001:db8::1, dst=2001:db8::{}) / UDP",
    "Ether / IP(dst=198.18.0.{}) / TCP(flags=A)",
    "Ether / IPv6(src=2001:db8::1, dst=2001:db8::{}) / TCP(flags=A)",
    "Ether / ARP(op=1, pdst=198.18.0.{})",
    "Ether / ARP(op=2, psrc=198.18.0.{})",
    "Ether / MPLS(label=77, cos=3) / IP(dst=198.18.0.{}) / UDP",
    "Ether / Dot1Q(vlan=7) / MPLS(label=77) / MPLS(label=78) / IPv6(dst=2001:db8::{}) / UDP",
)
_FIELDS = {
    "Ether": ("dst", "src"),
    "Dot1Q": ("vlan",),
    "IP": ("tos", "ttl"),
    "MPLS": ("label", "cos", "ttl"),
    "IPv6": ("hlim", "src", "dst"),
    "ARP": ("psrc", "pdst"),
    "TCP": ("sport", "dport"),
    "UDP": ("sport", "dport"),
}
_VALUES = {  # of fields that are no plain numbers
    ("ARP", "psrc"): "198.18.1.{}",
    ("ARP", "pdst"): "198.18.1.{}",
    ("Ether", "dst"): "02:00:00:00:00:{:02x}",
    ("Ether", "src"): "02:00:00:00:ff:{:02x}",
    ("IPv6", "src"): "2001:db8::{:x}",
    ("IPv6", "dst"): "2001:db8::ffff:{:x}",
}


def _mode(draw: Random, path: FieldPath) -> Mode:
    """A mode with values that the field takes."""
    modes: tuple[Mode, ...]
    value = _VALUES.get((path.header, path.field), "{}").format
    most = 900 if path.field in ("sport", "dport") else 200
    if path.field == "cos":
        modes = Sweep("1", "6"), Sweep("6", "1", "-2"), FieldValues(("0", "7")), RandomField("1", "4")
        return draw.choice(modes)
    modes = (
        Sweep(value(1), value(9)),
        Sweep(value(9), value(1), "-2"),
        FieldValues((value(5), value(most), value(17))),
        RandomField(value(16), value(31)),
    )
    return draw.choice(modes)


def _stream(draw: Random, number: int, most_fields: int) -> Stream:
    headers = draw.choice(_HEADERS).format(10 + number)
    ends = draw.choice((("p1", "p2"), ("p2", "p1")))
    layers = [layer.partition("(")[0] for layer in headers.split(" / ")]
    numbers = [layers[:at].count(layer) + 1 for at, layer in enumerate(layers)]
    reached = [
        FieldPath(layer, field, place)
        for layer, place in zip(layers, numbers, strict=True)
        for field in _FIELDS.get(layer, ())
    ]
    signed = "MPLS" in layers or (bool({"UDP", "TCP"} & set(layers)) and draw.random() < 0.7)
    if not signed:  # what tells streams apart stays
        telling = "IPv6.dst", "ARP.psrc" if "psrc" in headers else "ARP.pdst"
        reached = [path for path in reached if str(path) not in telling]
    paths = draw.sample(reached, draw.randrange(min(most_fields, len(reached)) + 1))
    labels = {(path.header, path.number): path for path in paths if path.header == "MPLS"}
    paths = [path for path in paths if path.header != "MPLS"]
    paths += labels.values()  # of a label a switch changes one field
    rate = Rate.parse(f"{draw.choice((300, 1000, 7777))} pps")
    step = TimePattern(Shape.STEP, Rate(rate.value * 2, rate.unit), Duration(6 * 10**6), rate)
    shaping = draw.choice((None, None, Poisson(), UniformGaps(), step if signed else None))
    editors = tuple(Editor(path, _mode(draw, path)) for path in paths)
    counts = signed and shaping is not step and draw.random() < 0.7
    countable = editors and not any(isinstance(editor.mode, RandomField) for editor in editors)
    return Stream(
        f"s{number}",
        *ends,
        FrameSize(draw.choice((64, 65, 128, 1506)) + 30),
        step.average if shaping is step else rate,
        headers=HeaderStack.parse(headers),
        signature=signed,
        editors=editors,
        count_flows=bool(countable and counts),
        start_after=Duration(0 if shaping else draw.choice((0, 0, 2)) * 10**9 // int(rate.value)),
        shaping=shaping,
    )


@pytest.mark.parametrize("seed", range(40))
def test_a_job_is_the_same_on_both(program: P4Program, seed: int) -> None:
    draw = Random(seed)
    _run(Twins(program), draw, [_stream(draw, number, 2) for number in range(draw.randrange(1, 4))])


@pytest.mark.parametrize("seed", range(12))
def test_a_job_of_three_fields_is_the_same_on_both(program2: P4Program, seed: int) -> None:
    draw = Random(seed)
    _run(
        Twins(program2, "tofino2"), draw, [_stream(draw, number, 3) for number in range(draw.randrange(1, 4))]
    )


@pytest.mark.parametrize(
    "cascades", [(), (("IP.src", "IP.dst"),), (("IP.src", "IP.dst"), ("IP.dst", "UDP.dport"))]
)
def test_three_fields_in_a_cascade_are_the_same_on_both(
    program2: P4Program, cascades: tuple[tuple[str, str], ...]
) -> None:
    sweeps = {
        "UDP.dport": Sweep("80", count=3),
        "IP.dst": Sweep("10.0.1.1", count=2),
        "IP.src": Sweep("10.0.0.1", count=2),
    }
    stream = Stream(
        "s",
        "p1",
        "p2",
        FrameSize(128),
        Rate.parse("1 kpps"),
        editors=tuple(Editor(FieldPath.parse(field), sweep) for field, sweep in sweeps.items()),
        cascades=tuple((FieldPath.parse(inner), FieldPath.parse(outer)) for inner, outer in cascades),
    )
    _run(Twins(program2, "tofino2"), Random(4), [stream])


def _run(twins: Twins, draw: Random, streams: Sequence[Stream]) -> None:
    packets, wait = draw.choice((None, 1, 7, 30)), draw.choice((0.0, 0.003))

    def run(rig: SwitchRig) -> Any:
        job = Job("job", tuple(streams))
        rig.load(compile_job(job, ports=rig.ports, gateways={}, max_streams=9))
        rig.pass_time(wait)
        duration = None if packets else Duration(10**7)
        rig.target.start(["job"], duration=duration, packets=packets)
        rig.target.wait(["job"], timeout=Duration(10**11))
        rig.pass_time(0.01)
        return rig.target.snapshot(["job"])

    twins.both(run)
