# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Header fields of captured frames, which Scapy builds here as a device might have left them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Packet

from TesterLibrary.errors import PlanError, TesterLibraryError
from TesterLibrary.measurement.capture import CaptureCounters, CapturedFrame
from TesterLibrary.measurement.captured_frames import CapturedFrames, frames_of
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.expected_field import ExpectedField
from TesterLibrary.running.capture import CaptureFile, Captures
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.observed import judge_captured_field
from TesterLibrary.verdict import Outcome, Verdict

from .testers import SECOND, fake_tester, stream

TTL, TAG, DSCP = (FieldPath.parse(text) for text in ("IP.ttl", "VLAN.vlan", "IP.tos"))


def frame(number: int, *, transmitted: bool, packet: Packet, stream_id: int = 1) -> CapturedFrame:
    octets = bytes(packet) + bytes(20) + number.to_bytes(16, "big")
    return CapturedFrame(number, "p1", transmitted, stream_id, number, len(octets), octets)


def addressed(destination: str) -> Packet:
    """Without an address of the other end Scapy asks this machine's neighbours for it, and waits."""
    return Ether(dst="02:00:00:00:00:02") / IPv6(src="::1", dst=destination) / UDP()


def tagged(ttl: int = 64, tos: int = 0, vlan: int = 100) -> Packet:
    return Ether() / Dot1Q(vlan=vlan) / IP(ttl=ttl, tos=tos) / UDP()


def captured(sent: Callable[[int], Packet], arrived: Callable[[int], Packet], count: int = 20) -> CaptureFile:
    frames = [frame(n, transmitted=True, packet=sent(n)) for n in range(count)]
    frames += [frame(n, transmitted=False, packet=arrived(n)) for n in range(count)]
    return written(frames)


def written(frames: list[CapturedFrame]) -> CaptureFile:
    return CaptureFile(Path("x"), CaptureCounters("all"), batches(frames), {1: "north", 2: "north"})


def batches(frames: list[CapturedFrame]) -> tuple[CapturedFrames, ...]:
    return CapturedFrames.of(frames[:2]), CapturedFrames.of(frames[2:])


def judged(file: CaptureFile, path: FieldPath, sign: str, expected: str) -> Verdict:
    return judge_captured_field(file, "north", ExpectedField.of(path, sign, expected))


@pytest.mark.parametrize(
    ("path", "packet", "said"),
    [
        ("IP.src", Ether() / IP(src="198.18.1.2") / UDP(), "198.18.1.2 (sent 198.18.1.2) in 20 of 20"),
        ("Ether.dst", Ether(dst="02:00:00:00:00:02") / IP() / UDP(), "02:00:00:00:00:02 (sent 02:00:00"),
        ("IPv6.dst", addressed("2001:db8::7"), "2001:db8::7 (sent 2001:db8::7) in 20"),
        ("UDP.dport", Ether() / IP() / UDP(dport=5000), "5,000 (sent 5,000) in 20"),
    ],
)
def test_addresses_are_shown_as_addresses(path: str, packet: Packet, said: str) -> None:
    verdict = judged(captured(lambda _: packet, lambda _: packet), FieldPath.parse(path), "==", "sent")
    assert verdict.outcome is Outcome.PASS
    assert verdict.measured.startswith(said)


def test_a_ttl_that_is_decremented_twice_fails() -> None:
    right = captured(lambda _: tagged(64), lambda _: tagged(63))
    assert str(judged(right, TTL, "==", "sent - 1")) == (
        "PASS: IP.ttl of north is 63 (sent 64) in 20 of 20 captured frames, required == sent - 1"
    )
    wrong = captured(lambda _: tagged(64), lambda n: tagged(62 if n in (7, 9) else 63))
    assert str(judged(wrong, TTL, "==", "sent - 1")) == (
        "FAIL: IP.ttl of north is 62 (sent 64) in 2 of 20 captured frames from frame 7 on, "
        "required == sent - 1"
    )


def test_a_tag_that_is_lost_fails_and_other_fields_are_found_where_they_moved() -> None:
    lost = captured(lambda _: tagged(), lambda _: Ether() / IP(ttl=63) / UDP())
    assert str(judged(lost, TAG, "==", "sent")) == (
        "FAIL: VLAN.vlan of north is absent (sent 100) in 20 of 20 captured frames from frame 0 on, "
        "required == sent"
    )
    assert judged(lost, TTL, "==", "sent - 1").outcome is Outcome.PASS


def test_a_field_that_changes_from_frame_to_frame_is_held_against_its_own_frame() -> None:
    swept = captured(lambda n: tagged(tos=n), lambda n: tagged(tos=n))
    assert judged(swept, DSCP, "==", "sent").outcome is Outcome.PASS
    shifted = captured(lambda n: tagged(tos=n), lambda n: tagged(tos=(n + 1) % 20))
    assert judged(shifted, DSCP, "==", "sent").outcome is Outcome.FAIL
    assert judged(shifted, DSCP, "<=", "19").outcome is Outcome.PASS


def test_addresses_are_read_like_those_of_headers() -> None:
    file = captured(
        lambda _: addressed("2001:db8::1"),
        lambda _: addressed("::2"),
    )
    path = FieldPath.parse("IPv6.dst")
    assert judged(file, path, "==", "::2").outcome is Outcome.PASS
    assert judged(file, path, "==", "2001:db8::1").outcome is Outcome.FAIL


def test_frames_of_two_trials_are_not_mixed_up() -> None:
    both = [
        *(frame(n, transmitted=True, packet=tagged(64 - n), stream_id=1) for n in range(3)),
        *(frame(n, transmitted=True, packet=tagged(9 + n), stream_id=2) for n in range(3)),
        *(frame(n, transmitted=False, packet=tagged(8 + n), stream_id=2) for n in range(3)),
        *(frame(n, transmitted=False, packet=tagged(63 - n), stream_id=1) for n in range(3)),
    ]
    file = written(both)
    assert judged(file, TTL, "==", "sent - 1").outcome is Outcome.PASS


def test_what_was_not_captured_is_not_judged() -> None:
    whole = captured(lambda _: tagged(), lambda _: tagged())
    only_sent = replace(whole, heads=batches(list(frames_of(whole.heads))[:20]))
    verdict = judged(only_sent, TTL, "==", "sent")
    assert (verdict.outcome, verdict.reason) == (
        Outcome.INCONCLUSIVE,
        "no frame that arrived was captured, or none with this header",
    )
    lost = captured(lambda _: tagged(), lambda _: Ether() / IP() / UDP())
    verdict = judged(replace(lost, heads=batches(list(frames_of(lost.heads))[20:])), TAG, "==", "100")
    assert verdict.outcome is Outcome.INCONCLUSIVE
    only_received = replace(whole, heads=batches(list(frames_of(whole.heads))[20:]))
    verdict = judged(only_received, TTL, "==", "sent")
    assert (verdict.outcome, verdict.reason) == (
        Outcome.INCONCLUSIVE,
        "the departure of no frame was captured; capture both directions",
    )
    assert judged(only_received, TTL, "==", "64").outcome is Outcome.PASS
    empty = replace(whole, heads=())
    assert judged(empty, TTL, "==", "sent").outcome is Outcome.INCONCLUSIVE


def test_what_makes_no_sense_is_refused() -> None:
    file = captured(lambda _: tagged(), lambda _: tagged())
    with pytest.raises(PlanError, match=r"TCP\.flags: no captured frame of north, sent or"):
        judged(file, FieldPath.parse("TCP.flags"), "==", "sent")
    with pytest.raises(PlanError, match=r"this IP has no field 'tttl' \(did you mean 'ttl'\?\)"):
        judged(file, FieldPath.parse("IP.tttl"), "==", "sent")
    with pytest.raises(PlanError, match="'256'"):
        judged(file, TTL, "==", "256")
    with pytest.raises(TesterLibraryError, match="does not compare numbers"):
        judged(file, TTL, "*=", "sent")


def test_a_capture_of_the_fake_tester_is_judged(tmp_path: Path) -> None:
    this = fake_tester(tmp_path)
    captures = Captures(this)
    with pytest.raises(TesterLibraryError, match="there is no stopped capture; call Start Capture"):
        captures.stopped()
    captures.start(Capture("all", streams=("north",)))
    swept = Editor(FieldPath.parse("IP.ttl"), Sweep("20", "29"))
    sending = replace(stream("north", rate="100 pps"), editors=(swept,))
    for _ in range(2):
        TrialMeasurer(this, [sending]).measure(Fraction(1, 10_000), SECOND)
    captures.stop("all")
    file = captures.stopped()
    count = len(file.of_stream("north")) // 2
    assert count > 100
    verdict = judged(file, TTL, "==", "sent")
    assert verdict.outcome is Outcome.PASS
    values = "20 (sent 20) or 21 (sent 21) or 22 (sent 22) or 7 other values"
    assert verdict.measured == f"{values} in {count} of {count} captured frames"
    assert judged(file, TTL, "==", "sent - 1").outcome is Outcome.FAIL
    with pytest.raises(TesterLibraryError, match="there is no stopped capture 'other'; there is all"):
        captures.stopped("other")


def test_a_tag_that_may_have_been_lost_behind_the_device_is_judged_neither_way() -> None:
    lost = captured(lambda _: tagged(), lambda _: Ether() / IP() / UDP())
    kept = captured(lambda _: tagged(), lambda _: tagged())
    for file in (lost, kept):
        expected = ExpectedField.of(TAG, "==", "sent")
        verdict = judge_captured_field(file, "north", expected, loses_tags="port p2: the other end")
        assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, "port p2: the other end")
    expected = ExpectedField.of(TTL, "==", "sent")
    assert judge_captured_field(kept, "north", expected, loses_tags="tags").outcome is Outcome.PASS
