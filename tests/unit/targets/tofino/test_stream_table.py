# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of docs/tofino.md with the streams that a switch sends is what its planner says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.departures import (
    GapDistribution,
    Messages,
    Poisson,
    Shape,
    TalkSpurts,
    TimePattern,
    UniformGaps,
)
from TesterLibrary.model.editor import Draw, Editor, FieldPath, FieldValues, Mode, RandomField, Sweep
from TesterLibrary.model.job import Job, JobFile
from TesterLibrary.model.mix import parse_frame_sizes
from TesterLibrary.model.pattern import Pattern, Stage
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.stream_mix import mixed
from TesterLibrary.model.units.units import Duration, Rate
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.switch.chip import TOFINO, TOFINO_2, Chip
from TesterLibrary.planning.switch.plan import switch_plan

from .test_docs import PAGE
from .test_one_planner import PORTS, VXLAN, edited, headers, stream, version

IMIX = parse_frame_sizes("imix")
VLAN, IPV6 = "Ether / Dot1Q(vlan=7) / IP / UDP", "Ether / IPv6(src=2001:db8::1, dst=2001:db8::2) / UDP"

STACKED = (
    "Ether / Dot1Q(vlan=7) / Dot1Q(vlan=9) / {} / UDP",
    "Ether / Dot1AD(vlan=7) / Dot1Q(vlan=9) / {} / UDP",
)

LABELS = "Ether / MPLS(label=77) / MPLS(label=78) / IP / UDP"
ASKING = "Ether / IPv6(src=2001:db8::1, dst=2001:db8::2) / ICMPv6ND_NS(tgt=2001:db8::2)"


def changing(path: str, mode: Mode, stack: str = "Ether / IP / UDP") -> Stream:
    """A stream with one field that changes."""
    return stream(editors=(Editor(FieldPath.parse(path), mode),), **headers(stack))


def steps(path: str, first: str = "1", stack: str = "Ether / IP / UDP") -> Stream:
    """A stream with one field that steps."""
    return changing(path, Sweep(first, count=4), stack)


def burst(*stages: Stage) -> Stream:
    """A stream of bursts."""
    return stream(shaping=Pattern(stages))


def mix() -> Sequence[Stream]:
    """Two streams in fixed proportions."""
    both = [replace(stream(), name=name) for name in ("a", "b")]
    shares = {"a": Fraction(3, 4), "b": Fraction(1, 4)}
    return mixed("mix", both, shares, Rate.parse("1 kpps"), PORTS)


GAPS = Messages.of_gaps((Duration(10**6), Duration(2 * 10**6)))
CDF = GapDistribution(((Duration(10**6), Fraction(1, 2)), (Duration(2 * 10**6), Fraction(1))))
RARE = GapDistribution(((Duration(10**6), Fraction(9999, 10000)), (Duration(10**9), Fraction(1))))
STEP = TimePattern(Shape.STEP, Rate.parse("2 kpps"), Duration(10**9), Rate.parse("1 kpps"))
OTHER_SHAPES = [shape for shape in Shape if shape is not Shape.STEP]
CASCADE = replace(
    edited("IP.src", "UDP.dport"), cascades=((FieldPath.parse("IP.src"), FieldPath.parse("UDP.dport")),)
)
ROWS: dict[str, tuple[Stream | Sequence[Stream], str]] = {  # by what the table says; why it is refused
    "frames of one size": (stream(), ""),
    "frames of several sizes, such as IMIX": (stream(frame_size=IMIX), ""),
    "IMIX without a signature": (stream(frame_size=IMIX, signature=False), "without a signature"),
    "equal gaps": (stream(), ""),
    "bursts, and bursts of bursts": (burst(Stage(4, 6), Stage(100, 10)), ""),
    "three stages of bursts": (burst(Stage(4, 6), Stage(10, 1), Stage(9, 1)), "pass/skip units: 4 needed"),
    "random gaps by a law: Poisson, uniform, a CDF": (
        [stream(shaping=Poisson()), stream(shaping=UniformGaps()), stream(shaping=CDF)],
        "",
    ),
    "on-off with random times": (
        stream(shaping=TalkSpurts(Duration(10**7), Duration(10**7))),
        "on-off is more than a law of gaps",
    ),
    "a law whose longest gaps are rare": (stream(shaping=RARE), "1,024 quantiles, as many as a switch draws"),
    "lists of gaps, messages": (stream(shaping=GAPS), "a Tofino has stages"),
    "a step of the rate: one rate, then a lower rate": (stream(shaping=STEP), ""),
    "a step of IMIX": (stream(shaping=STEP, frame_size=IMIX), "a step with 3 different frames"),
    "a step without a signature": (stream(shaping=STEP, signature=False), "a step without a signature"),
    "a step whose flows are counted": (
        replace(edited("IP.src"), shaping=STEP, count_flows=True),
        "a step whose flows are counted",
    ),
    "other rates that change with time": (
        [stream(shaping=replace(STEP, shape=shape)) for shape in OTHER_SHAPES],
        "of rates that change a switch sends a step only",
    ),
    "`start_after`": (stream(start_after=Duration(10**9)), ""),
    "mixes, patterns of several ports": (mix(), ""),
    "flows that are counted, 32,768 at most": (replace(edited("IP.src"), count_flows=True), ""),
    "IPv4 addresses that change": (steps("IP.src", "10.0.0.1"), ""),
    "IPv4 TOS and TTL, IPv6 hop limit": ([steps("IP.tos"), steps("IPv6.hlim", "1", IPV6)], ""),
    "ARP addresses, without a signature": (
        replace(steps("ARP.psrc", "10.0.0.1", "Ether / ARP"), signature=False),
        "",
    ),
    "UDP and TCP ports, `TCP.seq`": (steps("UDP.dport"), ""),
    "source and destination MAC address: the low 32 bits": (
        [steps("Ether.dst", "02:00:00:00:00:01"), edited("Ether.dst", "Ether.src")],
        "",
    ),
    "VLAN numbers": ([steps("Dot1Q.vlan", "1", VLAN), steps("VLAN.vid", "1", VLAN)], ""),
    "more than one VLAN tag": (
        [stream(**headers(stack.format(kind))) for stack in STACKED for kind in ("IP", "IPv6")],
        "a switch finds IP behind one VLAN tag at most",
    ),
    "label, class or TTL of the first MPLS label": (
        [steps(f"MPLS.{field}", "1", LABELS) for field in ("label", "cos", "ttl")],
        "",
    ),
    "the same of the second MPLS label, or one of each": (
        [
            *(steps(f"MPLS[2].{field}", "1", LABELS) for field in ("label", "cos", "ttl")),
            replace(edited("MPLS.label", "MPLS[2].label"), **headers(LABELS)),
        ],
        "",
    ),
    "two fields of one MPLS label": (
        replace(edited("MPLS.label", "MPLS.ttl"), **headers(LABELS)),
        "MPLS.label and MPLS.ttl change; of a label of MPLS a switch changes one field",
    ),
    "IPv6 addresses: the low 32 bits": (steps("IPv6.dst", "2001:db8::3", IPV6), ""),
    "IPv6 addresses: the first 96 bits": (
        changing("IPv6.dst", FieldValues(("2001:db8::1", "2001:db9::1")), IPV6),
        "its values differ before the last 32 bits",
    ),
    "IPv6 addresses before ICMPv6": (
        replace(steps("IPv6.src", "2001:db8::3", ASKING), signature=False),
        "a checksum of its frames changes with IPv6.src that is none of the outermost IPv4, TCP and UDP",
    ),
    "lists of values": (changing("UDP.dport", FieldValues(("53", "80"))), ""),
    "random values": (changing("UDP.dport", RandomField("1024", "2047")), ""),
    "values with shares": (
        changing("UDP.dport", Draw(("53", "80"), (Fraction(1, 4), Fraction(1)))),
        "",
    ),
    "two fields in a cascade": (CASCADE, ""),
    "three fields": (edited("IP.src", "IP.dst", "UDP.dport"), "3 fields change"),
    "four fields": (edited("IP.src", "IP.dst", "UDP.sport", "UDP.dport"), "4 fields change"),
    "signatures behind UDP and TCP over IPv4, IPv6 and VLAN": (
        [stream(**headers(stack.replace("UDP", kind))) for stack in (VLAN, IPV6) for kind in ("UDP", "TCP")],
        "",
    ),
    "signatures behind UDP over one or two MPLS labels": (
        [
            stream(**headers(f"Ether / {labels} / {ip} / UDP"))
            for labels in ("MPLS(label=77)", "MPLS(label=77) / MPLS(label=78)")
            for ip in ("IP", "IPv6")
        ],
        "",
    ),
    "signatures over three MPLS labels, or behind TCP over MPLS": (
        [
            stream(**headers("Ether / MPLS(label=77) / MPLS / MPLS / IP / UDP")),
            stream(**headers("Ether / MPLS(label=77) / IP / TCP")),
        ],
        "behind labels of MPLS a switch signs UDP only, behind one or two of them, in 16 bytes of payload at "
        "least, and knows frames without a signature only by a VLAN tag before the labels",
    ),
    "MPLS frames without a signature": (
        stream(signature=False, **headers(LABELS)),
        "behind labels of MPLS a switch signs UDP only, behind one or two of them, in 16 bytes of payload at "
        "least, and knows frames without a signature only by a VLAN tag before the labels",
    ),
    "MPLS frames without a signature, with a VLAN tag before the labels": (
        stream(signature=False, **headers("Ether / VLAN(vlan=5) / MPLS(label=77) / IP / TCP")),
        "",
    ),
    "fields of inner IP headers": (
        replace(steps("IPv6.hlim", "1", "Ether / IP / IPv6 / UDP"), signature=False),
        "IPv6.hlim: a switch does not find its header",
    ),
    "signatures behind other protocols": (
        stream(**headers("Ether / IP / ICMP")),
        "a switch signs behind UDP, or TCP without options",
    ),
    "signatures within tunnels": (
        stream(**headers(VXLAN)),
        "a switch signs right behind the outermost UDP or TCP",
    ),
    "other frames without a signature": (stream(signature=False, **headers("Ether / IP / TCP")), ""),
    "a version in the highest bit of `IP.id` or `IPv6.fl`": (version("IP.id"), ""),
    "a version elsewhere": (version("IP.id", 3), "a switch writes the highest bit of IP.id"),
}


CHIPS = (TOFINO, TOFINO_2)
OTHERWISE: dict[tuple[str, Chip], str] = {("three fields", TOFINO_2): ""}  # why another chip refuses a row
ROW = r"\| (?P<row>.*) \| (?P<says>.*?)(?:\. Tofino 2: (?P<tofino_2>.*?))? \|"


def planned(what: Stream | Sequence[Stream], chip: Chip) -> None:
    """Plans streams for a switch, each by itself unless they are made for each other. PlanError: refused."""
    streams = [what] if isinstance(what, Stream) else list(what)
    named = {one.name for one in streams}
    for job in [streams] if len(named) == len(streams) else [[one] for one in streams]:
        switch_plan(JobFile(Path("job.yaml"), Job("job", tuple(job)), PORTS, {}), chip)


def table(head: str = "a stream") -> dict[str, tuple[str, ...]]:
    """The rows of a table of the page, and what they say of each chip."""
    text = PAGE.read_text(encoding="utf-8").split(f"| {head} | on a switch |")[1].split("\n\n")[0]
    rows = (re.fullmatch(ROW, line) for line in text.splitlines()[2:])
    return {row["row"]: (row["says"], row["tofino_2"] or row["says"]) for row in rows if row}


def test_the_table_has_these_rows() -> None:
    assert list(table()) == list(ROWS)


@pytest.mark.parametrize("chip", CHIPS, ids=lambda chip: chip.family)
@pytest.mark.parametrize("row", ROWS)
def test_a_switch_sends_what_the_table_says(row: str, chip: Chip) -> None:
    what, why = ROWS[row]
    why, says = OTHERWISE.get((row, chip), why), table()[row][CHIPS.index(chip)]
    for one in [what] if isinstance(what, Stream) else what:  # an engine sends them all
        compile_job(Job("job", (one,)), ports=PORTS, gateways={}, max_streams=9)
    if not why:
        assert says.startswith("yes")
        planned(what, chip)
        return
    assert says.startswith("no")
    for one in [what] if isinstance(what, Stream) else what:
        with pytest.raises(PlanError) as refused:
            planned(one, chip)
        assert why in str(refused.value)


@pytest.mark.parametrize("step", ["0:0:1::", "0:0:0:0:1::", "0:0:0:0:0:1::"])
def test_bits_before_the_last_32_never_change_in_the_place_of_these(step: str) -> None:
    """An editor of an engine has 64 bits of an address of IPv6, which need not be its last ones."""
    what = changing("IPv6.src", Sweep("2001:2:1::1", step=step, count=4), IPV6)
    with pytest.raises(PlanError, match=r"IPv6.src: its values differ before the last 32 bits"):
        planned(what, TOFINO)
