# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Loads below the throughput, shorter trials and shorter waits than a standard asks for are deviations."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.measurement.trial_numbers import Waits
from TesterLibrary.methodology.frame_loss import FrameLossResult, FrameLossSweep
from TesterLibrary.methodology.latency import LatencyMeasurement, LatencyResult
from TesterLibrary.methodology.reset import ResetKind, ResetMeasurement, ResetResult
from TesterLibrary.methodology.standard import Standard, standard_of
from TesterLibrary.methodology.system_recovery import RecoveryMeasurement, RecoveryResult
from TesterLibrary.methodology.throughput import LimitedBy, ThroughputResult, ThroughputSearch
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.port_pattern import PortPattern, over_ports
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, Ratio
from tests.counted import stream_counters

from .measured import trial

HALF, ONE = Ratio.parse("50 %"), Fraction(1)
SECOND = 10**9
MINUTE = Duration(60 * SECOND)


@pytest.mark.parametrize(("part", "is_named"), [("80 %", True), ("100 %", False), (None, False)])
def test_a_part_of_the_throughput_is_named(part: str | None, is_named: bool) -> None:
    given = None if part is None else Ratio.parse(part)
    latency = LatencyResult("north", (), LatencyMeasurement(HALF, part=given))
    reset = ResetResult("north", (), ResetMeasurement(ResetKind.SOFTWARE, HALF, part=given), (), "hook")
    named = (
        ("latency at 80 % of the throughput: RFC 2544 §26.2 asks for all of it",),
        ("a reset at 80 % of the throughput: RFC 2544 §26.6 asks for all of it",),
    )
    assert (latency.shortened, reset.shortened) == (named if is_named else ((), ()))


def waited(learning_s: int | None, residual_s: float, rest_s: float, duration: Duration = MINUTE) -> Trial:
    """A trial with such waits before and after it."""
    waits = Waits(
        None if learning_s is None else learning_s * SECOND, int(residual_s * SECOND), int(rest_s * SECOND)
    )
    return replace(trial(stream_counters(id=1)), duration_ns=duration.ns, waits=waits)


LEARNING = "no pause after learning frames: RFC 2544 §23 asks for at least 2 s"
RESIDUAL = "residual frames were waited for until each frame had arrived: RFC 2544 §23 asks for 2 s"
REST = "a pause of 400 ms after trials: RFC 2544 §23 asks for at least 5 s"


@pytest.mark.parametrize(
    ("waits", "told"),
    [
        ((2, 2, 5), ()),
        ((None, 2, 5), ()),  # without learning frames there is nothing to wait for
        ((0, 0.02, 0.4), (LEARNING, RESIDUAL, REST)),
        ((2, 2, 0.4), (REST,)),
    ],
)
def test_waits_that_are_left_out_or_shorter_are_named(
    waits: tuple[int | None, float, float], told: tuple[str, ...]
) -> None:
    trials = (waited(2, 2, 5), waited(*waits))
    results = (
        LatencyResult("north", trials, LatencyMeasurement(HALF)),
        FrameLossResult("north", trials, FrameLossSweep()),
        ResetResult("north", trials, ResetMeasurement(ResetKind.SOFTWARE, HALF), (), "hook"),
        RecoveryResult("north", trials, RecoveryMeasurement(HALF), ()),
    )
    assert [result.shortened for result in results] == [told] * 4


def test_the_waits_of_trials_that_only_lead_to_others_are_no_deviation() -> None:
    scout = waited(0, 0, 0, Duration(SECOND))
    search = ThroughputSearch(trial_duration=MINUTE)
    found = ThroughputResult("north", (scout, waited(2, 2, 5)), search, ONE, None, LimitedBy.LINE)
    assert found.shortened == ()
    assert replace(found, trials=(waited(2, 2, 0.4),)).shortened == (REST,)


def test_what_is_asked_for_is_that_of_the_standard_of_the_traffic() -> None:
    """A mesh is RFC 2889's, which asks for 30 s and has no such waits; pairs of ports are RFC 2544's."""
    given = Stream("north", tx="p1", rx="p2")
    ports = ("p1", "p2", "p3", "p4")
    by_pattern = {pattern: standard_of(over_ports(given, pattern, ports)) for pattern in PortPattern}
    others = dict.fromkeys(PortPattern, Standard.RFC2889)
    assert by_pattern == {**others, PortPattern.PAIRS: Standard.RFC2544}
    assert standard_of([replace(given, copies=("p3",))]) is Standard.RFC2889
    assert standard_of([replace(given, headers=HeaderStack.parse('IP(dst="239.1.1.1") / UDP'))]) is (
        Standard.RFC3918
    )
    short = (waited(0, 0, 0, Duration(SECOND)),)
    search = ThroughputSearch(trial_duration=Duration(SECOND), standard=Standard.RFC2889)
    sweep = FrameLossSweep(trial_duration=Duration(SECOND), standard=Standard.RFC3918)
    found = ThroughputResult("mesh", short, search, ONE, None, LimitedBy.LINE)
    assert found.shortened == ("trials of 1 s: RFC 2889 §5.1.2 asks for at least 30 s",)
    lost = FrameLossResult("video", short, sweep)
    assert lost.shortened == ("trials of 1 s: RFC 3918 §3.1.5 asks for at least 30 s",)
