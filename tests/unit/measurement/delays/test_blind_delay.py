# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from TesterLibrary.measurement.delays.blind_delay import BlindDelay, Passages

sent_frames = st.lists(
    st.tuples(st.integers(0, 10**6), st.integers(0, 10**5), st.integers(0, 2)), min_size=1, max_size=40
)  # when it left, its delay, how often it arrived


def passages(times: list[int]) -> Passages:
    return Passages(len(times), sum(times))


def test_the_example_of_the_paper() -> None:
    """norma figure 6: offsets 10, 20, 30 from a base of 1000, and a sum of 360 from a base of 1005."""
    left, arrived = passages([1010, 1020, 1030]), Passages(3, 3 * 1005 + 360)
    delay = BlindDelay(left, arrived, span_ns=20)
    assert (delay.mean_ns, delay.bound_ns, delay.missing) == (105, 0, 0)
    assert str(delay) == "105 ns ± 0 ns"


def test_a_delay_that_its_error_exceeds_is_no_value() -> None:
    """Ten frames left within a second, and the first of them arrived: 450 ms too early, or too late."""
    left, arrived = passages([at * 10**8 for at in range(10)]), passages([10**6])
    assert str(BlindDelay(left, arrived, span_ns=9 * 10**8)) == "unknown (± 810 ms), at most 361 ms"


def test_an_hour_at_a_hundred_million_frames_a_second_does_not_overflow() -> None:
    frames, day = 100_000_000 * 3600, 86_400 * 10**9
    left = Passages(frames, frames * day)
    assert BlindDelay(left, Passages(frames, frames * (day + 7)), span_ns=3600 * 10**9).mean_ns == 7


@given(sent_frames)
def test_without_loss_it_is_the_mean_of_the_delays(frames: list[tuple[int, int, int]]) -> None:
    left, arrived = [at for at, _, _ in frames], [at + delay for at, delay, _ in frames]
    found = BlindDelay(passages(left), passages(arrived), max(left) - min(left))
    assert found.mean_ns == Fraction(sum(delay for _, delay, _ in frames), len(frames))
    assert found.bound_ns == 0


@given(sent_frames)
def test_times_in_steps_make_it_wrong_by_less_than_a_step(frames: list[tuple[int, int, int]]) -> None:
    """A switch makes times odd (p4/controls/blind_delay.p4)."""
    left, arrived = [at | 1 for at, _, _ in frames], [at + delay | 1 for at, delay, _ in frames]
    found = BlindDelay(passages(left), passages(arrived), max(left) - min(left), error_ns=1)
    mean = Fraction(sum(delay for _, delay, _ in frames), len(frames))
    assert found.mean_ns is not None
    assert abs(found.mean_ns - mean) <= found.bound_ns == 1


@given(sent_frames)
def test_with_loss_and_duplicates_it_is_no_further_off_than_its_bound(
    frames: list[tuple[int, int, int]],
) -> None:
    left = [at for at, _, _ in frames]
    delays = [delay for _, delay, copies in frames for _ in range(copies)]
    arrived = [at + delay for at, delay, copies in frames for _ in range(copies)]
    twice = sum(copies == 2 for _, _, copies in frames)
    span_ns = max(left) - min(left)
    counted = BlindDelay(passages(left), passages(arrived), span_ns, twice)
    suspected = BlindDelay(passages(left), passages(arrived), span_ns, again=twice)
    unknown = BlindDelay(passages(left), passages(arrived), span_ns, again=None)
    for found in (counted, suspected, unknown):
        if arrived:
            assert found.mean_ns is not None
            assert abs(found.mean_ns - Fraction(sum(delays), len(delays))) <= found.bound_ns
        else:
            assert (found.mean_ns, str(found)) == (None, "no delay: nothing arrived")


def test_the_bound_is_the_drops_over_the_rate() -> None:
    left, arrived = Passages(1_000_000, 10**15), Passages(990_000, 99 * 10**13)
    assert BlindDelay(left, arrived, span_ns=10**9).bound_ns == Fraction(10_000, 1) * 1000


def test_intervals_are_differences_of_what_grows() -> None:
    assert Passages(5, 50) - Passages(3, 20) == Passages(2, 30)
    assert Passages(3, 20) + Passages(2, 30) == Passages(5, 50)


@given(sent_frames, st.lists(st.integers(0, 2 * 10**6), max_size=10))
def test_with_frames_of_an_earlier_trial_it_is_no_further_off_than_its_bound(
    frames: list[tuple[int, int, int]], stale: list[int]
) -> None:
    left = [at for at, _, _ in frames]
    passages_of_trial = [(at, at + delay) for at, delay, copies in frames if copies]
    arrived = [at for _, at in passages_of_trial] + stale
    found = BlindDelay(
        passages(left),
        passages(arrived),
        max(left) - min(left),
        again=0,
        once=True,
        stale=len(stale),
        arrival_span_ns=max(arrived, default=0) - min(arrived, default=0),
    )
    if len(arrived) <= len(stale):
        assert found.mean_ns is None
        return
    assert found.mean_ns is not None
    true_ns = Fraction(sum(at - since for since, at in passages_of_trial), len(passages_of_trial))
    assert abs(found.mean_ns - true_ns) <= found.bound_ns


def test_where_all_that_arrived_may_be_of_an_earlier_trial_nothing_is_known() -> None:
    """A device that holds frames for 3.3 s: what was sent before arrives, as many as are sent now."""
    left, arrived = passages([0, 10**9]), passages([3 * 10**8, 13 * 10**8])
    found = BlindDelay(left, arrived, span_ns=10**9, once=True, stale=2, arrival_span_ns=10**9)
    assert found.mean_ns is None
    assert found.absence == (
        "all 2 frames that arrived may be of an earlier trial, of which 2 were missing; "
        "give `Create Stream` signature=True, or wait for two minutes"
    )
