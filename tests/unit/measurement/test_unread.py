# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An answer that the tester's own tables cannot read says nothing of the device."""

from __future__ import annotations

import pytest

from TesterLibrary.measurement.evidence import EvidenceLimits
from TesterLibrary.measurement.session_trial import SessionTrial, objections
from TesterLibrary.measurement.sessions import SessionStatistics
from TesterLibrary.measurement.snapshot import DurationCounters
from TesterLibrary.methodology.sessions import failures_below
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.targets.fake.target import FakeTarget
from TesterLibrary.verdict import Outcome
from tests.counted import end_counters

SECOND_NS = 10**9


def trial(protocol: str, **counted: int) -> SessionTrial:
    """A trial in which these counters of the protocol's highest table have counted."""
    loaded = load_protocol(protocol)
    names = [(layer.name, name) for layer in loaded.layers for name in layer.counters]
    counters = tuple(counted.get(name, 0) if table == protocol else 0 for table, name in names)
    times = (DurationCounters(),) * sum(len(layer.histograms) for layer in loaded.layers)
    failed = sum(counted.get(name, 0) for name in loaded.failures)
    end = end_counters(
        "users", "users", counters=counters, histograms=times, flows_failed=failed, openings=10
    )
    before = end_counters("users", "users", counters=(0,) * len(names), histograms=times)
    statistics = SessionStatistics.of(loaded, end, SECOND_NS, opens=True)
    statistics = statistics.since(SessionStatistics.of(loaded, before, 0))
    now = FakeTarget().snapshot([])
    found = objections(statistics, None, now, now, ["p1"], EvidenceLimits(), job="users")
    return SessionTrial(statistics, None, tuple(found))


@pytest.mark.parametrize(
    ("protocol", "counter", "said"),
    [
        (
            "http-client",
            "coded",
            "4 responses with a transfer coding other than chunked, "
            "by which http-client cannot judge the device",
        ),
        (
            "dns-client",
            "truncated",
            "4 answers that are to be asked for again over TCP, by which dns-client cannot judge the device",
        ),
    ],
)
def test_what_a_table_cannot_read_is_inconclusive_by_name(protocol: str, counter: str, said: str) -> None:
    verdict = failures_below([trial(protocol, **{counter: 4})], Ratio.parse("0"))
    assert (verdict.outcome, verdict.reason) == (Outcome.INCONCLUSIVE, said)


@pytest.mark.parametrize("counter", ["malformed", "other_length", "timed_out"])
def test_what_is_wrong_is_a_failure(counter: str) -> None:
    verdict = failures_below([trial("http-client", **{counter: 4})], Ratio.parse("0"))
    assert verdict.outcome is Outcome.FAIL
