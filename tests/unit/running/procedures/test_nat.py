# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Searches over clients behind a device that translates, whose table, rate and ports are known (RFC 9693)."""

from __future__ import annotations

import re
import tempfile
from fractions import Fraction
from math import ceil, log2
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.errors import PlanError
from TesterLibrary.methodology.maximum import Limit, MaximumResult, MaximumSearch, Quantity, find_maximum
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.running.procedures.connection_trials import ValidatedRateMeasurer
from TesterLibrary.running.procedures.teardown import Teardown
from TesterLibrary.targets.fake import FakeNat
from TesterLibrary.verdict import Outcome

from ..testers import SECOND
from .nat_bench import OUTSIDE, Bench


@settings(max_examples=3, deadline=None)
@given(entries=st.integers(1, 12), overwrites=st.booleans())
def test_the_capacity_is_found_exactly(entries: int, overwrites: bool) -> None:
    """A table that drops old connections for new ones holds no more than one that refuses the new ones."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), FakeNat(OUTSIDE, entries=entries, overwrites=overwrites))
        found = bench.capacity()
    assert (found.maximum, found.failed_at, found.limited_by) == (entries, entries + 1, Limit.DEVICE)
    assert len(found.measured) <= 2 * ceil(log2(entries + 1)) + 3


@settings(max_examples=2, deadline=None)
@given(rate=st.integers(20, 100))
@pytest.mark.long
def test_the_rate_is_found_within_the_resolution(rate: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = Bench(Path(folder), FakeNat(OUTSIDE, rate=rate)).rate(400)
    assert found.limited_by is Limit.DEVICE
    assert found.failed_at is not None
    # A rate passes if so many are established within 10 %, and the device lets one come early.
    assert found.maximum <= rate * Fraction(10, 9) + 3
    assert found.failed_at >= rate


@settings(max_examples=2, deadline=None)
@given(ports=st.integers(2, 25))
def test_ports_that_run_out_limit_the_capacity(ports: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        nat = FakeNat(OUTSIDE, first_port=2000, last_port=1999 + ports)
        assert Bench(Path(folder), nat).capacity().maximum == ports


def test_a_device_that_forgets_too_early_holds_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FakeNat(OUTSIDE, idle_ns=200_000_000))
    found = bench.capacity(lowest=5)
    assert (found.maximum, found.limited_by) == (0, Limit.DEVICE)
    assert found.trial.statistics.counters["nat-initiator.forgotten"] == 5
    assert found.verdict_above(5, "5").outcome is Outcome.FAIL


def test_a_device_that_forgets_late_in_the_duration_holds_nothing(tmp_path: Path) -> None:
    """The clients notice it after `watch`, when the duration is over."""
    found = Bench(tmp_path, FakeNat(OUTSIDE, lifetime_ns=600_000_000)).capacity(5, 5, SECOND)
    assert (found.maximum, found.limited_by) == (0, Limit.DEVICE)
    assert found.verdict_above(5, "5").measured == "below 5; at 5 5 failed (5 forgotten)"


def test_a_device_that_forgets_after_all_that_was_asked_holds_them(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FakeNat(OUTSIDE, lifetime_ns=2_500_000_000))
    assert bench.capacity(5, 5, SECOND).maximum == 5


def test_a_device_that_changes_ports_holds_nothing(tmp_path: Path) -> None:
    found = Bench(tmp_path, FakeNat(OUTSIDE, moves_after=2)).capacity(lowest=5)
    assert (found.maximum, found.limited_by) == (0, Limit.DEVICE)
    assert found.trial.statistics.counters["nat-initiator.moved"] == 5


def test_nobody_knows_the_table_of_a_device_that_does_not_translate(tmp_path: Path) -> None:
    bench = Bench(tmp_path, None)
    found = bench.capacity(lowest=5)
    assert (found.maximum, found.limited_by) == (0, Limit.TESTER)
    verdict = found.verdict_above(5, "5")
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "5 connections that kept their address and port (the device does not translate)" in str(verdict)


def test_what_comes_from_another_address_of_the_pool_has_moved(tmp_path: Path) -> None:
    assert Bench(tmp_path / "moving", FakeNat(OUTSIDE, pool=4, moves_after=2)).capacity(5, 5).maximum == 0
    found = Bench(tmp_path / "pool", FakeNat(OUTSIDE, pool=4)).capacity(5, 5)
    assert (found.maximum, found.trial.statistics.failed) == (5, 0)


def test_a_device_that_drops_first_frames_is_known_by_trying_again(tmp_path: Path) -> None:
    found = Bench(tmp_path / "once", FakeNat(OUTSIDE, drops_first=True)).capacity(5, 5)
    verdict = found.verdict_above(5, "5")
    assert (verdict.outcome, found.trial.statistics.failed_text) == (Outcome.FAIL, "5 failed (5 timed out)")
    found = Bench(tmp_path / "again", FakeNat(OUTSIDE, drops_first=True), tries=2).capacity(5, 5)
    assert (found.maximum, found.trial.statistics.retransmitted) == (5, 5)


def test_a_device_that_mixes_connections_up_is_named(tmp_path: Path) -> None:
    found = Bench(tmp_path, FakeNat(OUTSIDE, mixes=3)).capacity(5, 5)
    assert found.verdict_above(5, "5").outcome is Outcome.FAIL
    said = r"below 5; at 5 2 failed \(2 timed out, \d+ frames for other flows arrived\)"
    assert re.fullmatch(said, found.verdict_above(5, "5").measured)


def test_a_device_that_mixes_frames_up_now_and_then_is_named(tmp_path: Path) -> None:
    """No connection fails, since the next question arrives where it belongs."""
    found = Bench(tmp_path / "held", FakeNat(OUTSIDE, strays=7)).capacity(5, 5)
    assert found.limited_by is Limit.DEVICE
    said = r"FAIL: .* is below 5; at 5 \d frames for other flows arrived, required >= 5"
    assert re.fullmatch(said, str(found.verdict_above(5, "5")))
    verdict = validated(tmp_path / "rate", strays=70).verdict_above(20, "20/s")
    assert re.search(r"FAIL: .* is below 20/s; at 20 \d+ frames for other flows arrived", str(verdict))
    teardown = Bench(tmp_path / "torn", FakeNat(OUTSIDE, strays=9)).teardown(5)
    torn = teardown.verdict_above(Frequency(Fraction(1)))
    assert torn.outcome is Outcome.INCONCLUSIVE
    assert "frames for other flows had arrived: the device mixes its connections up" in torn.reason


@settings(max_examples=2, deadline=None)
@given(deletes=st.integers(50, 500), lazy=st.booleans())
def test_the_teardown_rate_is_between_its_bounds(deletes: int, lazy: bool) -> None:
    """Entries that go on disappearing after the command are waited for."""
    with tempfile.TemporaryDirectory() as folder:
        found = Bench(Path(folder), FakeNat(OUTSIDE, deletes=deletes, lazy=lazy)).teardown(
            20, timeout=Duration(3 * 10**9)
        )
    assert found.rate <= deletes
    assert found.verdict_above(Frequency(Fraction(2 * deletes))).outcome is not Outcome.PASS
    assert found.verdict_above(Frequency(Fraction(10))).outcome is Outcome.PASS


def test_connections_that_are_left_are_counted(tmp_path: Path) -> None:
    found = Bench(tmp_path, FakeNat(OUTSIDE, keeps=4)).teardown(10, repetitions=3)
    trial = found.measured[0]
    assert (trial.held, trial.left, trial.most_ns) == (10, 3, None)  # one is of earlier clients
    assert found.verdict_above(Frequency(Fraction(100))).outcome is Outcome.FAIL
    assert "3 of 10 connections were still there after " in str(trial)
    doubted = found.verdict_above(Frequency(Fraction(1)))
    assert doubted.reason == "some connections were still there when they were watched no longer"


def test_a_device_without_room_says_nothing_of_its_teardown(tmp_path: Path) -> None:
    found = Bench(tmp_path, FakeNat(OUTSIDE, entries=7)).teardown(10, repetitions=3)
    assert [trial.held for trial in found.measured] == [7]
    verdict = found.verdict_above(Frequency(Fraction(1)))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason.startswith("7 of 10 connections were open when the table was to be deleted")


def test_a_hook_that_deletes_nothing_is_none(tmp_path: Path) -> None:
    verdict = Bench(tmp_path, FakeNat(OUTSIDE, keeps=100)).teardown(5).verdict_above(Frequency(Fraction(100)))
    assert verdict.reason == "the hook deleted none of the connections: is it that of this device's table?"


def test_clients_that_do_not_notice_are_refused(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FakeNat(OUTSIDE))
    target = Endpoints.parse("198.18.0.3:80")
    bench.ends.start(Clients(name="users", port="p1", protocol="tcp-client", target=target, connections=1))
    with pytest.raises(PlanError, match=r"tcp-client does not notice .*; use Start NAT Clients"):
        Teardown(bench.tester, bench.ends, "users", bench.target.forget_connections, SECOND)


def test_clients_notice_what_is_forgotten_however_short_the_duration_is(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FakeNat(OUTSIDE, entries=2, overwrites=True))
    for duration in (Duration(4 * 10**8), Duration(8 * 10**8)):
        assert bench.capacity(5, 5, duration).maximum == 0


def validated(tmp_path: Path, **nat: Any) -> MaximumResult:
    bench = Bench(tmp_path, FakeNat(OUTSIDE, **nat))
    measurer = ValidatedRateMeasurer(bench.ends, "inside", bench.target.forget_connections)
    return find_maximum(
        measurer, MaximumSearch(Quantity.RATE, 20, 20, SECOND, tolerance=Ratio(Fraction(1, 10)))
    )


def test_connections_are_opened_at_a_rate_and_validated(tmp_path: Path) -> None:
    found = validated(tmp_path)
    assert (found.maximum, found.trial.statistics.openings, found.trial.statistics.failed) == (20, 20, 0)
    assert found.trial.statistics.counters["nat-initiator.asked"] >= 20


def test_a_rate_whose_connections_are_forgotten_is_none(tmp_path: Path) -> None:
    """Each connection is answered, and a moment later the entry is gone."""
    found = validated(tmp_path, idle_ns=10**8)
    assert found.maximum == 0
    said = r"below 20/s; at 20 \d+ failed \(\d+ forgotten\)"
    assert re.fullmatch(said, found.verdict_above(20, "20/s").measured)


def test_a_rate_of_which_few_connections_are_forgotten_is_none(tmp_path: Path) -> None:
    """The last two of 20 take the entries of the first two, while the others are asked for again."""
    found = validated(tmp_path, entries=18, overwrites=True)
    assert found.verdict_above(20, "20/s").measured == "below 20/s; at 20 2 failed (2 forgotten)"


def test_clients_that_nobody_asks_cannot_be_validated(tmp_path: Path) -> None:
    bench = Bench(tmp_path, FakeNat(OUTSIDE))
    target = Endpoints.parse("198.18.0.3:80")
    bench.ends.start(Clients(name="users", port="p1", protocol="tcp-client", target=target, connections=1))
    with pytest.raises(PlanError, match=r"tcp-client .* cannot be validated; use Start NAT Clients"):
        ValidatedRateMeasurer(bench.ends, "users")
