# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Header fields that the kernel's router and bridge rewrite, in a known part of the frames."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from TesterLibrary.measurement.snapshot import FieldExampleCounters
from TesterLibrary.methodology.verdicts.header_field import judge_all_frames
from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.expected_field import ExpectedField
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import FrameSize, Rate
from TesterLibrary.running.opening import OpenTestbed
from TesterLibrary.verdict import Outcome

from .defects import device_that, sent
from .opened import opened

FRAMES, EVERY = 2000, 20  # in a second: one that is 10 ms late at its end is judged
SOME = FRAMES // EVERY


@pytest.fixture
def router(tmp_path: Path) -> Iterator[OpenTestbed]:
    with closing(opened("embedded/l3-router", tmp_path)) as bed:
        yield bed


def expected(text: str) -> ExpectedField:
    path, comparison, value = text.split(maxsplit=2)
    return ExpectedField.of(FieldPath.parse(path), comparison, value)


def north(*fields: str, headers: str = "Ether / IP / UDP", editor: Editor | None = None) -> Stream:
    return Stream(
        "north",
        "p1",
        "p2",
        FrameSize(128),
        Rate.parse("2 kpps"),
        HeaderStack.parse(headers),
        editors=(editor,) if editor else (),
        expected_fields=tuple(map(expected, fields)),
    )


@pytest.mark.parametrize(
    ("statement", "field", "example"),
    [
        ("ip ttl set 62", "IP.ttl == sent - 1", (62, 64)),
        ("ip dscp set cs5", "IP.tos == sent", (0xA0, 0)),
        pytest.param("ip dscp set cs5", "IP.tos == 0 or 8", (0xA0, 0), marks=pytest.mark.long),
        ("ether saddr set 02:00:00:00:00:77", "Ether.src != 02:00:00:00:00:77", (0x020000000077, None)),
        pytest.param("udp dport set 77", "UDP.dport == sent", (77, None), marks=pytest.mark.long),
    ],
)
def test_each_frame_that_a_router_rewrites_is_counted(
    router: OpenTestbed, statement: str, field: str, example: tuple[int, int | None]
) -> None:
    rule = f"ip protocol udp numgen inc mod {EVERY} == {EVERY - 1} {statement};"
    chain = f"type filter hook egress device p2 priority 0; {rule}"
    prefix = router.testbed.dut_prefix
    subprocess.run([*prefix, "nft", f"table netdev d {{ chain out {{ {chain} }}; }}"], check=True)
    trial = sent(router, north(field, "IP.ttl < sent"), FRAMES)
    counted, lower = trial.streams[0].counters.fields
    assert (counted.compared, counted.wrong, counted.absent, counted.unknown) == (FRAMES, SOME, 0, 0)
    assert counted.first_sequence == EVERY - 1
    ((found,),) = (counted.examples,)
    arrived, was_sent = example
    assert found == FieldExampleCounters(SOME, arrived, found.sent if was_sent is None else was_sent)
    assert (lower.compared, lower.wrong) == (FRAMES, 0)
    assert judge_all_frames([trial], "north", expected(field)).outcome is Outcome.FAIL
    assert judge_all_frames([trial], "north", expected("IP.ttl < sent")).outcome is Outcome.PASS


def test_values_that_change_from_frame_to_frame_are_held_against_their_own_frame(router: OpenTestbed) -> None:
    swept = Editor(FieldPath("IP", "ttl"), Sweep("20", "29"))
    trial = sent(router, north("IP.ttl == sent - 1", "IP.ttl == 19 or 20 or 21", editor=swept), FRAMES)
    right, some = trial.streams[0].counters.fields
    assert (right.compared, right.wrong) == (FRAMES, 0)
    assert (some.wrong, len(some.examples)) == (FRAMES * 7 // 10, 4)


def test_a_tag_that_is_lost_is_absent_and_the_rest_is_found(bed: OpenTestbed) -> None:
    """The kernel takes tags off before a program sees them, and the forwarder puts none back."""
    stack = "Ether / Dot1Q(vlan=100) / IP / UDP"
    fields = ("VLAN.vlan == sent", "IP.ttl == sent", "Ether.type == 0x8100 or 0x800", "VLAN.type == sent")
    with device_that(bed):
        trial = sent(bed, north(*fields, headers=stack), FRAMES)
    tag, ttl, outer, inner = trial.streams[0].counters.fields
    assert (trial.received, tag.compared, tag.wrong, tag.absent) == (FRAMES,) * 4
    assert tag.examples == (FieldExampleCounters(FRAMES, None, 100),)
    assert (ttl.wrong, outer.wrong, inner.absent) == (0, 0, FRAMES)


def test_a_bridge_that_rewrites_a_field_loses_the_frame_and_says_which(bed: OpenTestbed) -> None:
    """It counts as lost, with wrong headers; its field is compared all the same."""
    rule = f"ether type ip ip protocol udp numgen inc mod {EVERY} == {EVERY - 1} ip dscp set cs5;"
    chain = f"type filter hook egress device p2 priority 0; {rule}"
    subprocess.run(
        [*bed.testbed.dut_prefix, "nft", f"table netdev d {{ chain out {{ {chain} }}; }}"], check=True
    )
    trial = sent(bed, north("IP.tos == 0xa0 -> 0, 0 -> 0xa0"), FRAMES)
    (counted,) = trial.streams[0].counters.fields
    assert (trial.lost, trial.order.wrong_headers) == (SOME, SOME)
    assert (counted.compared, counted.wrong) == (FRAMES, FRAMES - SOME)
