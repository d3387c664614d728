# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Version bits of the author's choice, and streams without signature, through the kernel's devices."""

from __future__ import annotations

import subprocess
import time
from dataclasses import replace
from fractions import Fraction

import pytest

from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.monitoring import Method, MonitoringResult
from TesterLibrary.model.editor import FieldPath
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.stream import Stream, VersionField
from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.measurer import TrialMeasurer
from TesterLibrary.running.opening import OpenTestbed

from .test_measurement import FIFTH, device_that, north

REMARKING = (
    "table netdev marking { chain in { type filter hook ingress device p1 priority 0; ip dscp set cs0; }; }"
)
TOS = VersionField(FieldPath("IP", "tos"), 5)  # a bit of the DSCP


def monitored(bed: OpenTestbed, *streams: Stream) -> tuple[MonitoringResult, Trial]:
    """The monitoring result and the trial of one second of sending."""
    bed.traffic.start(list(streams))
    bed.traffic.start_monitoring(FIFTH)
    time.sleep(1)
    (trial,) = bed.traffic.stop([])
    return bed.traffic.stop_monitoring(), trial


@pytest.mark.parametrize("signature", [pytest.param(True, marks=pytest.mark.long), False])
def test_a_chosen_field_tells_intervals_apart(either: OpenTestbed, signature: bool) -> None:
    stream = replace(north("5 kpps"), version=TOS, signature=signature)
    result, trial = monitored(either, stream)
    assert (result.method, result.lost, trial.sent - trial.received) == (Method.VERSION, 0, 0)
    assert all(interval.sent == interval.received > 0 for interval in result.intervals)


@pytest.mark.parametrize("signature", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_device_that_rewrites_the_chosen_field_is_recognised(bed: OpenTestbed, signature: bool) -> None:
    subprocess.run([*bed.testbed.dut_prefix, "nft", REMARKING], check=True)
    stream = replace(north("5 kpps"), signature=signature)
    result, trial = monitored(bed, replace(stream, version=TOS))
    assert (result.method, result.lost, trial.sent - trial.received) == (Method.QUIESCING, 0, 0)
    assert result.reason == "the device writes over the version of 'north'"
    result, _ = monitored(bed, stream)  # whose version is elsewhere
    assert (result.method, result.lost) == (Method.VERSION, 0)


def test_blind_delay_without_signature_is_that_with_one(either: OpenTestbed) -> None:
    other = HeaderStack.parse("Ether / IP / UDP(dport=5004)")
    signed = north("5 kpps")
    unsigned = replace(signed, name="call", signature=False, headers=other)
    measurer = TrialMeasurer(either.tester, [signed, unsigned])
    trial = measurer.measure(measurer.load, Duration(10**9))
    mean = trial.latency.mean
    blind = trial.stream("call").blind_delay
    assert trial.received == trial.sent
    assert trial.stream("call").latency.count == 0
    assert mean
    assert blind
    assert blind.mean_ns
    assert (blind.bound_ns, trial.stream("call").counters.rx_packets) == (0, trial.sent // 2)
    assert mean / 4 < blind.mean_ns < 4 * mean  # frames of two streams, not the same ones


def test_loss_moves_the_blind_delay_within_its_bound(bed: OpenTestbed) -> None:
    stream = replace(north("2 kpps"), signature=False)
    with device_that(bed, delay_s=0.05, lose=[300, 20]):
        measurer = TrialMeasurer(bed.tester, [stream])
        trial = measurer.measure(measurer.load, Duration(10**9))
    blind = trial.streams[0].blind_delay
    assert trial.sent - trial.received == 20
    assert blind
    assert blind.mean_ns is not None
    assert blind.bound_ns == pytest.approx(20 * 500_000, rel=0.01)
    assert blind.mean_ns - blind.bound_ns < 50_000_000 + 10_000_000  # the device is a program that waits, too
    assert blind.mean_ns + blind.bound_ns > Fraction(50_000_000)
