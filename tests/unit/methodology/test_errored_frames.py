# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.foreign import Foreign, ForeignAt
from TesterLibrary.measurement.snapshot import IcmpErrorCounters
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.errored_frames import (
    ErroredTest,
    FrameError,
    check_sent,
    measure_errored_frames,
)
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.verdict import Outcome
from tests.counted import stream_counters

from .measured import OneTrial, trial
from .simulated import SimulatedMeasurer

TEST = ErroredTest(Ratio.parse("10 %"), Duration(10**8))


@given(forwards=st.integers(0, 20), alive=st.booleans(), busy=st.booleans())
def test_only_a_device_that_is_alive_and_drops_all_of_them_filters(
    forwards: int, alive: bool, busy: bool
) -> None:
    legal = SimulatedMeasurer(random_loss=0.0 if alive else 1.0)
    oversize = SimulatedMeasurer(Fraction(forwards, 100), collapse=Fraction(1))
    if not forwards:
        oversize = SimulatedMeasurer(random_loss=1.0)
    oversize.broken_trials = (1,) if busy else ()
    result = measure_errored_frames(legal, oversize, TEST)
    expected = Outcome.FAIL if forwards else Outcome.PASS
    if busy or not alive:
        expected = Outcome.INCONCLUSIVE
    assert result.verdict_filtered().outcome is expected
    assert (result.forwarded > 0) is (forwards > 0)
    assert result.shortened == ("trials of 100 ms: RFC 2889 §5.9.2 asks for at least 30 s",)


@pytest.mark.parametrize("uncounted", ["rx_misrouted", "rx_wrong_length", "rx_fragments"])
def test_frames_that_nobody_counts_may_have_been_forwarded(uncounted: str) -> None:
    legal = trial(stream_counters(id=1, tx_packets=10, rx_packets=10))
    for arrived, outcome in ((0, Outcome.INCONCLUSIVE), (1, Outcome.FAIL)):
        counted = stream_counters(**{"id": 1, "tx_packets": 10, "rx_packets": arrived, uncounted: None})
        result = measure_errored_frames(OneTrial(legal), OneTrial(trial(counted)), TEST)
        verdict = result.verdict_filtered()
        assert verdict.outcome is outcome
        assert ("does not count frames that arrive damaged" in str(verdict)) is (arrived == 0)


@pytest.mark.parametrize(
    ("foreign", "elsewhere", "outcome"),
    [
        (Foreign(386, malformed=386), (), Outcome.INCONCLUSIVE),  # cut
        (Foreign(386), (), Outcome.INCONCLUSIVE),  # cut, with lengths and checksums to match
        (Foreign(0), (ForeignAt("p3", 386, 0),), Outcome.INCONCLUSIVE),
        (Foreign(386, icmp_errors=(IcmpErrorCounters(4, 3, 4, 386),)), (), Outcome.PASS),  # too big, it says
        (Foreign(3), (ForeignAt("p3", 3, 0),), Outcome.PASS),  # who has ...? tell ...
    ],
)
def test_oversize_frames_that_are_cut_and_forwarded_were_not_filtered(
    foreign: Foreign, elsewhere: tuple[ForeignAt, ...], outcome: Outcome
) -> None:
    legal = trial(stream_counters(id=1, tx_packets=10, rx_packets=10))
    lost = trial(stream_counters(id=1, tx_packets=386), foreign=foreign, elsewhere=elsewhere)
    verdict = measure_errored_frames(OneTrial(legal), OneTrial(lost), TEST).verdict_filtered()
    assert verdict.outcome is outcome, verdict


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        (1000, 0, Outcome.INCONCLUSIVE),  # it crashed
        (1000, 950, Outcome.INCONCLUSIVE),  # and came back
        (1000, 990, Outcome.PASS),
        (900, 895, Outcome.PASS),  # it loses as many anyway
    ],
)
def test_a_device_that_oversize_frames_bring_down_does_not_filter_them(
    before: int, after: int, outcome: Outcome
) -> None:
    arrived = iter((before, after))

    class Device:
        def measure(self, _load: Fraction, _duration: Duration) -> Trial:
            return trial(stream_counters(id=1, tx_packets=1000, rx_packets=next(arrived)))

    dropped = OneTrial(trial(stream_counters(id=2, tx_packets=1000)))
    verdict = measure_errored_frames(Device(), dropped, TEST).verdict_filtered()
    assert verdict.outcome is outcome, verdict
    missing = f"{1000 - after:,} of 1,000 legal frames were lost after the oversize ones"
    assert (missing in str(verdict)) is (outcome is Outcome.INCONCLUSIVE)


@pytest.mark.parametrize("kind", [kind for kind in FrameError if kind is not FrameError.OVERSIZE])
def test_what_no_port_sends_is_refused_by_name(kind: FrameError) -> None:
    with pytest.raises(PlanError, match=f"^{kind.value}: no port of this tester sends frames"):
        check_sent((FrameError.OVERSIZE, kind))
    check_sent((FrameError.OVERSIZE,))


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(PlanError, match="no kind of errored frames is given"):
        check_sent(())
    with pytest.raises(PlanError, match="the load must be above 0 and at most 100 %"):
        measure_errored_frames(SimulatedMeasurer(), SimulatedMeasurer(), ErroredTest(Ratio(Fraction(0))))
