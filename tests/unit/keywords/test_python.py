# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

"""Keywords as methods for Python programs: their arguments are converted as those of suites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from TesterLibrary import TesterLibrary
from TesterLibrary.errors import (
    Inconclusive,
    PlanError,
    TestbedError,
    TesterLibraryError,
    UnitError,
    VerdictFailed,
)
from TesterLibrary.model.units.units import FrameSize, Rate

from .fake_library import library_on_fake


@pytest.fixture
def tester(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TesterLibrary]:
    with library_on_fake(monkeypatch, tmp_path) as library:
        yield library


def test_numbers_and_texts_become_units(tester: TesterLibrary) -> None:
    tester.create_stream("north", frame_size=128, rate="5 kpps")
    stream = tester.suite.stream("north")
    assert (stream.frame_size, stream.rate) == (FrameSize(128), Rate.parse("5 kpps"))


def test_several_values_are_converted_each(tester: TesterLibrary) -> None:
    tester.create_stream("north")
    tester.set_frame_size("north", "64:7", "570:4", "1518:1")
    assert tester.suite.stream("north").frame_size.mean == pytest.approx(353.833, abs=1e-3)


def test_what_robot_refuses_is_refused_with_the_same_reason(tester: TesterLibrary) -> None:
    with pytest.raises(UnitError, match=r"'frame_size' got value '12' .* write a whole number of bytes"):
        tester.create_stream("north", frame_size=12)
    with pytest.raises(UnitError, match="'5' is not a time: it has no unit; write '5 s'"):
        tester.measure_loss(duration="5")
    with pytest.raises(
        TesterLibraryError, match=r"'size' \(did you mean 'frame_size'\?\); it has name, tx, rx,"
    ):
        tester.create_stream("north", size=64)
    with pytest.raises(TesterLibraryError, match=r"'framesize' \(did you mean 'frame_size'\?\); it has name"):
        tester.create_stream("north", framesize=64)


def test_an_assertion_is_a_verdict(tester: TesterLibrary) -> None:
    tester.create_stream("north", rate="1 kpps")
    trial = tester.measure_loss("north", duration="100 ms")
    assert tester.get_frame_loss("north", "==", 0) == 0
    tester.verify_loss_below(0, trial)
    with pytest.raises(VerdictFailed, match="frame loss of north is 0, required > 0"):
        tester.get_frame_loss("north", ">", 0)


def test_a_result_is_taken_only_from_a_keyword(tester: TesterLibrary) -> None:
    with pytest.raises(UnitError, match="'measured' got value 'north'"):
        tester.verify_loss_below(0, "north")


def test_no_testbed_is_a_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        TestbedError,
        match=r"no testbed is named; import the library with testbed=, or call Use Testbed\. "
        r"Shipped are .*embedded/l2-bridge.*two-nics",
    ):
        TesterLibrary().open_tester()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("Create Stream", "north", "size=64"), "did you mean 'frame_size'"),
        (("Create Stream", "north", "txx=p1"), "did you mean 'tx'"),
        (("Create Stream", "north", "p1", "colour=red"), "would be its 'rx'"),
        (("Set Payload", "north", "text", "contents=x"), "did you mean 'content'"),
        (("Measure Loss", "north", "duraton=1 s"), "would be one of its streams .did you mean 'duration'"),
        (("Measure Loss", "steps=1 %"), "would be one of its streams; it has rate, duration"),
    ],
)
def test_an_argument_that_there_is_not_is_named(
    tester: TesterLibrary, call: tuple[str, ...], words: str
) -> None:
    name = call[0] if call[0] in tester.keywords else call[0].lower().replace(" ", "_")
    with pytest.raises(TesterLibraryError, match=words) as refused:
        tester.run_keyword(name, call[1:])
    assert str(refused.value).startswith(f"{call[0]} has no argument '{call[-1].partition('=')[0]}'")


@pytest.mark.parametrize("ignored", [{"keep": "last"}, {"frames": 10}])
def test_what_a_capture_with_a_trigger_would_ignore_is_refused(
    tester: TesterLibrary, ignored: dict[str, object]
) -> None:
    ((name, value),) = ignored.items()
    with pytest.raises(
        PlanError, match=f"^{name}={value} has no meaning with trigger=gap, which keeps before"
    ):
        tester.start_capture("around", trigger="gap", **ignored)


def test_a_text_with_an_equals_sign_is_a_text(tester: TesterLibrary) -> None:
    tester.create_stream("north", frame_size=128)
    tester.set_payload("north", "text", "user=me")
    assert tester.suite.stream("north").payload.data == b"user=me"


def test_durations_follow_from_the_profile(tester: TesterLibrary, tmp_path: Path) -> None:
    tester.suite.profile_name = str(tmp_path / "mine.yaml")
    (tmp_path / "mine.yaml").write_text(
        "PROFILE: {version: 1, name: mine, trial: {duration: 300 ms}}\n", encoding="utf-8"
    )
    tester.create_stream("north", rate="1 kpps")
    assert tester.measure_loss("north").duration_ns == 300_000_000
    assert tester.measure_loss("north", duration="200 ms").duration_ns == 200_000_000
    result = tester.measure_latency("north")
    assert len(result.trials) == 2
    assert result.shortened == (
        "repetitions of 1 s: RFC 2544 §26.2 asks for at least 120 s",
        "2 repetitions: RFC 2544 §26.2 asks for at least 20",
        "no pause after learning frames: RFC 2544 §23 asks for at least 2 s",
        "residual frames were waited for until each frame had arrived: RFC 2544 §23 asks for 2 s",
        "no pause after trials: RFC 2544 §23 asks for at least 5 s",
    )
    with pytest.raises(TesterLibraryError, match="repetitions"):
        tester.measure_latency("north", repetitions=0)


def test_latency_is_measured_at_a_part_of_the_throughput(tester: TesterLibrary) -> None:
    tester.create_stream("north")
    found = tester.find_throughput("north", duration="100 ms", scout="100 ms", resolution="50 %")
    result = tester.measure_latency("north", throughput=found, part="50 %", duration="100 ms", repetitions=1)
    assert result.load == found.load / 2
    with pytest.raises(PlanError, match=r"rate=1 kpps and throughput=north.* both set the rate; give one"):
        tester.measure_latency("north", throughput=found, rate="1 kpps")
    none = replace(found, load=None)
    with pytest.raises(Inconclusive, match="latency is measured at a part of the throughput, and there is"):
        tester.measure_latency("north", throughput=none)
