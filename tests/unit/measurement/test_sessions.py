# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

from TesterLibrary.errors import UnitError
from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.sessions import SessionStatistics
from TesterLibrary.measurement.snapshot import DurationCounters
from TesterLibrary.protocols.checker import load_protocol
from tests.counted import end_counters, session_statistics

SECOND = 10**9


def durations(*values: int) -> DurationCounters:
    buckets = {index_of(value): values.count(value) for value in values}
    return DurationCounters(len(values), sum(values), min(values), max(values), buckets)


def statistics(seconds: int = 1, **counted: int) -> SessionStatistics:
    """Statistics of an HTTP client."""
    counters = {"tcp.established": 0, "tcp.refused": 0, "http-client.refused": 0, "tcp.bytes_received": 0}
    given = {key.replace("__", ".").replace("http_", "http-"): value for key, value in counted.items()}
    changed = {key: value for key, value in given.items() if key in counters}
    rest = {key: value for key, value in given.items() if key not in counters}
    return session_statistics("users", seconds * SECOND, counters | changed, **rest)  # type: ignore[arg-type]


def test_counters_have_the_names_of_their_tables() -> None:
    protocol = load_protocol("http-client")
    names = [(layer.name, name) for layer in protocol.layers for name in layer.counters]
    counted = end_counters("j", "users", counters=tuple(range(len(names))), histograms=(durations(1),) * 3)
    found = SessionStatistics.of(protocol, counted, SECOND)
    assert found.counters == {f"{table}.{name}": index for index, (table, name) in enumerate(names)}
    assert list(found.histograms) == [
        "tcp.time_to_open",
        "http-client.time_to_first_byte",
        "http-client.time_to_last_byte",
    ]


def test_a_count_is_found_by_its_name_or_with_its_table() -> None:
    found = statistics(tcp__refused=3, http_client__refused=4, tcp__established=10, ended=9, failed=2)
    assert (found.statistic("refused"), found.statistic("tcp.refused")) == (7, 3)
    assert (found.statistic("established"), found.statistic("completed")) == (10, 7)
    assert found.statistic("failed") == 2


@pytest.mark.parametrize("interpreted", [None, False, True])
def test_how_tables_run_is_no_count(interpreted: bool | None) -> None:
    counted = end_counters("j", "echo", counters=(0, 0), interpreted=interpreted)
    found = SessionStatistics.of(load_protocol("icmp-echo"), counted, SECOND)
    assert found.interpreted is found.since(found).interpreted is interpreted
    assert ("tables interpreted" in str(found)) == bool(interpreted)
    with pytest.raises(UnitError, match=r"counts no 'interpreted'; it counts (?!.*(interpreted|opens))"):
        found.statistic("interpreted")


def test_rates_and_goodput_are_over_the_time() -> None:
    found = statistics(2, tcp__established=10, tcp__bytes_received=1000)
    assert (found.connection_rate, found.statistic("established/s")) == (5, 5)
    assert (found.goodput_bps, found.statistic("goodput")) == (4000, 4000)
    web = session_statistics("web", 2 * SECOND, {"tcp.bytes_delivered": 500}, tx_bytes=10**6)
    assert (web.delivered_bps, web.statistic("delivered"), web.statistic("bytes_delivered")) == (
        2000,
        2000,
        500,
    )


def test_what_no_table_counts_is_not_0() -> None:
    """Tables for switches, such as http-get and syn-flood, count packets of theirs, and no payload."""
    found = session_statistics("web", SECOND, {"http-get.served": 5})
    names = ("goodput", "delivered", "bytes_received", "bytes_delivered", "transactions", "transactions/s")
    assert [found.statistic(name) for name in names] == [None] * len(names)
    assert "goodput" not in str(found)


def test_times_are_in_nanoseconds() -> None:
    found = session_statistics("users", SECOND, {}, {"tcp.time_to_open": durations(*range(1, 101))})
    times = found.times("time_to_open")
    assert (times.min, times.max, times.mean) == (1000, 100_000, 50_500)
    assert times.p99 == pytest.approx(99_000, rel=0.002)
    assert found.statistic("time_to_open.p50") == pytest.approx(50_000, rel=0.002)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rest", "users counts no 'rest'; it counts .*refused"),
        ("time_to_close.p99", "users measures no 'time_to_close'; it measures none"),
        ("tcp.rest/s", "users counts no 'tcp.rest'"),
    ],
)
def test_other_names_are_refused_with_those_there_are(name: str, message: str) -> None:
    with pytest.raises(UnitError, match=message):
        statistics().statistic(name)


def test_what_came_since_an_earlier_read() -> None:
    early = session_statistics(
        "users", SECOND, {"tcp.reset": 2}, {"tcp.time_to_open": durations(5, 700)}, openings=10, concurrent=9
    )
    late = session_statistics(
        "users",
        3 * SECOND,
        {"tcp.reset": 5},
        {"tcp.time_to_open": durations(5, 40, 40, 700)},
        openings=14,
        concurrent=3,
        most_concurrent=12,
    )
    since = late.since(early)
    assert (since.duration_ns, since.openings, since.counters) == (2 * SECOND, 4, {"tcp.reset": 3})
    assert (since.concurrent, since.most_concurrent) == (3, 12)
    assert since.histograms["tcp.time_to_open"] == DurationCounters(2, 80, 40, 40, {40: 2})
    assert late.since(late).histograms["tcp.time_to_open"] == DurationCounters()


def test_it_prints_as_one_line() -> None:
    found = statistics(2, openings=12, tcp__established=10, ended=7, failed=1, concurrent=3)
    assert str(found) == ("users: 12 attempted, 10 established in 2 s (5/s), 6 completed, 1 failed, 3 open")
