# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Queries of a target that answers as it is told: names, scopes, results, files."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError, TargetError, TesterLibraryError
from TesterLibrary.measurement.query import QueryCounters, QuerySummary, RawRow
from TesterLibrary.measurement.snapshot import Snapshot
from TesterLibrary.model.capture import Direction
from TesterLibrary.model.plan.planned_query import PlannedQuery
from TesterLibrary.model.query import Counted, PacketFilter, Query, QueryField, QueryKeys
from TesterLibrary.model.responder import Clients, Responder
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.connections import Connections
from TesterLibrary.running.queries import Queries
from TesterLibrary.running.sending import send
from TesterLibrary.running.traffic import Traffic
from TesterLibrary.targets.fake import FakeTarget, fake_port

from .test_connections import SERVICE, TENTH, users
from .testers import SECOND, fake_tester, stream

ROWS = [RawRow(bytes([10, 0, 0, n]), 10 * n, 640 * n) for n in (1, 2, 3)]


class Counting(FakeTarget):
    """A fake tester that has counted these rows, whatever is asked for."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.queries = CountedRows(self)
        self.running: dict[str, bool] = {}
        self.interval = False
        self.unread = 0
        self.gap_ns: int | None = None

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        queries = () if jobs else tuple(map(self.counters, self.running))
        return replace(super().snapshot(jobs, buckets=buckets), queries=queries)

    def counters(self, name: str) -> QueryCounters:
        running = self.running[name]
        return QueryCounters(name, running=running, seen=100, matched=60, worst_worker_gap_ns=self.gap_ns)


class CountedRows:
    def __init__(self, target: Counting) -> None:
        self.target = target

    def start(self, query: PlannedQuery) -> None:
        if query.name == "refused":
            raise PlanError("query 'refused': too much")
        self.target.running[query.name] = True

    def stop(self, name: str) -> None:
        self.target.running[name] = False

    def read(
        self, name: str, *, top: int | None = None, keys: bytes | None = None
    ) -> tuple[QuerySummary, Iterator[RawRow]]:
        rows = [row for row in ROWS if keys in (None, row.keys)]
        rows = rows if top is None else rows[::-1][:top]
        if self.target.interval:
            rows = [RawRow((3).to_bytes(8, "big") + row.keys, row.frames, row.value) for row in rows]
        return QuerySummary(self.target.counters(name), 3, 1_000, 5_000, self.target.unread), iter(rows)

    def forget(self, name: str) -> None:
        if self.target.running.pop(name, None) is None:
            raise TargetError(f"no query {name!r}")


class Setup:
    def __init__(self, directory: Path, **options: Any) -> None:
        self.target = Counting(**options)
        self.tester = fake_tester(directory, target=self.target)
        self.ends = Connections(self.tester, source_seed=1)
        self.queries = Queries(self.tester, self.ends)

    def doubt(self) -> str:
        """Why nothing can be concluded from the query."""
        return self.queries.result("q").doubt

    def start(self, name: str = "q", **more: Any) -> None:
        self.queries.start(Query(name=name, keys=QueryKeys.parse("IP.src"), **more))


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return Setup(tmp_path)


def test_a_result_has_texts_for_keys_and_the_count_that_was_asked_for(setup: Setup) -> None:
    setup.start("alive", counts=Counted.KEYS)
    setup.start("packets")
    result = setup.queries.result("alive", top=2)
    assert [(row.key, row.packets, row.value) for row in result.rows] == [
        ("10.0.0.3", 30, 1920),
        ("10.0.0.2", 20, 1280),
    ]
    assert (result.count, result.packets, result.distinct, result.duration_ns) == (3, 60, 3, 4_000)
    assert setup.queries.result("packets").count == 60
    assert setup.queries.canonical("alive", ["10.0.0.9", "10.0.0.10", "10.0.0.9"]) == [
        "10.0.0.9",
        "10.0.0.10",
    ]


def test_one_key_is_read_by_its_text(setup: Setup) -> None:
    setup.start(value=QueryField.parse("length"))
    assert [row.value for row in setup.queries.row("q", "10.0.0.2").rows] == [1280]
    assert setup.queries.row("q", "10.0.0.9").rows == ()
    with pytest.raises(PlanError, match="it takes an IPv4 address"):
        setup.queries.row("q", "x")


def test_rows_of_intervals_say_when_they_begin(setup: Setup) -> None:
    setup.target.interval = True
    setup.start(interval=Duration(1_000_000))
    (first, *_) = setup.queries.result("q", top=None).rows
    assert (first.key, first.interval_ns) == ("10.0.0.1", 3_000_000)
    with pytest.raises(PlanError, match="it counts by intervals"):
        setup.queries.row("q", "10.0.0.1")


def test_a_query_ends_with_the_test_that_started_it_and_leaves_its_files(setup: Setup) -> None:
    scopes = setup.tester.scopes
    scopes.enter(["s1", "s1-t1"])
    setup.start(value=QueryField.parse("length"))
    scopes.enter(["s1"])
    assert setup.target.running == {}
    with pytest.raises(TesterLibraryError, match="there is no query 'q'; call Count Packets"):
        setup.queries.result("q")
    folder = setup.tester.recorder.directory / "queries"
    found = json.loads((folder / "q.json").read_text())
    assert (found["query"], found["function"], found["distinct"], found["doubt"]) == ("q", "sum", 3, "")
    with (folder / "q.csv").open() as file:
        assert list(csv.reader(file)) == [
            ["IP.src", "packets", "value"],
            ["10.0.0.1", "10", "640"],
            ["10.0.0.2", "20", "1280"],
            ["10.0.0.3", "30", "1920"],
        ]


def test_a_stopped_query_can_be_read_and_its_name_taken_again(setup: Setup) -> None:
    setup.start()
    with pytest.raises(PlanError, match="it counts already"):
        setup.start()
    setup.queries.stop()
    setup.queries.stop(["q"])
    assert setup.queries.result("q").packets == 60
    setup.start()
    assert setup.target.running == {"q": True}


def test_a_refused_query_is_not_known(setup: Setup) -> None:
    with pytest.raises(PlanError, match="too much"):
        setup.start("refused")
    with pytest.raises(TesterLibraryError, match="there is no query 'refused'"):
        setup.queries.stop(["refused"])


def test_closing_writes_what_nobody_has_stopped(setup: Setup) -> None:
    setup.start()
    setup.queries.close()
    assert (setup.tester.recorder.directory / "queries" / "q.csv").exists()


def test_packets_that_the_tester_has_not_looked_into_are_in_result_and_file(setup: Setup) -> None:
    setup.target.unread = 2
    setup.start()
    assert "2 packets had VLAN tags" in setup.queries.result("q").doubt
    setup.queries.stop()
    (path,) = setup.tester.recorder.directory.glob("queries/*.json")
    found = json.loads(path.read_text())
    assert (found["unread"], found["doubt"][:9]) == (2, "2 packets")


def test_a_trial_in_which_the_tester_fell_short_leaves_the_result_open(tmp_path: Path) -> None:
    """Nobody answers what it did not send; another query that did not run then is sound."""
    setup = Setup(tmp_path, stalls=[1])
    setup.start()
    send(setup.tester, [stream()], packets=10, timeout=SECOND)
    assert "while it counted, a worker did not run for 200.0 ms (limit 50.0 ms)" in setup.doubt()
    setup.start("later")
    send(setup.tester, [stream()], packets=10, timeout=SECOND)
    assert setup.queries.result("later").doubt == ""
    setup.queries.stop()
    assert "a worker did not run" in setup.doubt()
    (path,) = setup.tester.recorder.directory.glob("queries/q.json")
    assert "a worker did not run" in json.loads(path.read_text())["doubt"]


def test_a_rate_that_was_missed_leaves_no_packet_out(setup: Setup) -> None:
    """50 frames of a switch take one gap more than they should, which is 2 % of their rate."""
    setup.start()
    trial = send(setup.tester, [stream()], packets=10, timeout=SECOND)
    slow = replace(trial.evidence, rate_error=Fraction(-1, 50))
    objections = tuple(slow.objections(setup.tester.rules.limits))
    assert objections
    setup.tester.evidence.record(replace(trial, evidence=slow, objections=objections))
    assert setup.doubt() == ""
    setup.start("times", interval=SECOND)
    setup.start("gaps", value=QueryField.parse("gap"), port="p2")
    setup.tester.evidence.record(replace(trial, evidence=slow, objections=objections))
    for timed in ("times", "gaps"):
        assert setup.queries.result(timed).doubt == f"while it counted, {objections[0]}"
    assert setup.doubt() == ""
    setup.tester.evidence.record(replace(trial, evidence=slow, objections=(*objections, "another gateway")))
    assert setup.doubt() == "while it counted, another gateway"
    few = replace(slow, offered_packets=9)
    setup.tester.evidence.record(
        replace(trial, evidence=few, objections=tuple(few.objections(setup.tester.rules.limits)))
    )
    assert setup.doubt().endswith("; so in 1 more")


def test_a_worker_that_stood_still_without_a_job_leaves_what_tells_of_times_open(setup: Setup) -> None:
    """A count of packets is right nevertheless: they waited in the port."""
    setup.start()
    setup.start("times", interval=SECOND)
    setup.start("gaps", value=QueryField.parse("gap"), port="p2")
    for gap_ns in (None, 0, 50_000_000):
        setup.target.gap_ns = gap_ns
        assert [setup.queries.result(name).doubt for name in ("q", "times", "gaps")] == [""] * 3
    setup.target.gap_ns = 435_000_000
    assert setup.doubt() == ""
    for timed in ("times", "gaps"):
        doubt = setup.queries.result(timed).doubt
        assert doubt.startswith("a worker did not run for 435.0 ms (limit 50.0 ms)")
    setup.queries.stop()
    assert "435.0 ms" in setup.queries.result("gaps").doubt
    found = json.loads((setup.tester.recorder.directory / "queries" / "gaps.json").read_text())
    assert "435.0 ms" in found["doubt"]


def test_trials_after_the_query_was_stopped_say_nothing_of_it(tmp_path: Path) -> None:
    setup = Setup(tmp_path, stalls=[1, 2, 3])
    setup.start()
    setup.queries.stop()
    send(setup.tester, [stream()], packets=10, timeout=SECOND)
    assert setup.doubt() == ""
    setup.start("several")
    for _ in range(2):
        send(setup.tester, [stream()], packets=10, timeout=SECOND)
    assert setup.queries.result("several").doubt.endswith("; so in 1 more")


@pytest.mark.parametrize("stopped", [False, True])
def test_an_answering_tester_that_stood_still_leaves_the_result_open(tmp_path: Path, stopped: bool) -> None:
    """Frames of triggers, responders and clients are late, or are not sent at all then."""
    setup = Setup(tmp_path, stalls=[1])
    setup.start()
    setup.ends.start(Responder(name="web", port="p2", protocol="http-get", servers=SERVICE))
    setup.tester.clock.sleep(TENTH.seconds)
    if stopped:
        setup.ends.stop(["web"], Responder)
    assert "while it counted, a worker did not run for 200.0 ms" in setup.doubt()


def test_a_query_knows_which_streams_are_sending_still(setup: Setup) -> None:
    traffic = Traffic(setup.tester)
    setup.start()
    setup.start("mine", streams=("north",))
    setup.start("other", streams=("south",))
    assert setup.queries.result("q").unfinished == ""
    traffic.start([stream()])
    assert setup.queries.result("q").unfinished == (
        "north is sending, so packets may come yet; call Stop Traffic first"
    )
    assert setup.queries.result("mine").unfinished
    assert not setup.queries.result("other").unfinished
    setup.queries.stop(["q"])
    assert not setup.queries.result("q").unfinished
    traffic.stop([])
    assert not setup.queries.result("mine").unfinished


def test_a_query_of_streams_that_were_not_sent_tells_nothing_of_a_device(setup: Setup) -> None:
    send(setup.tester, [stream()], packets=10, timeout=SECOND)
    setup.start("mine", streams=("north", "south"))
    setup.start("foreign", foreign=True)
    setup.start("all")
    unsent = "no frame of north, south was sent while it counted; send what is to be counted, then assert"
    assert setup.queries.result("mine").doubt == unsent
    # A device sends ARP, LLDP or hellos by itself.
    assert [setup.queries.result(name).doubt for name in ("foreign", "all")] == ["", ""]
    send(setup.tester, [stream(name="east")], packets=10, timeout=SECOND)
    assert setup.queries.result("mine").doubt == unsent
    setup.start("unsent", streams=("north",))
    setup.queries.stop(["unsent"])
    send(setup.tester, [stream()], packets=10, timeout=SECOND)
    assert setup.queries.result("mine").doubt == ""
    assert setup.queries.result("unsent").doubt.startswith("no frame of north was sent while it counted")


def test_a_query_of_a_stream_that_is_sending_has_tried_the_device(setup: Setup) -> None:
    traffic = Traffic(setup.tester)
    traffic.start([stream()])
    setup.start(streams=("north",))
    assert setup.doubt() == ""
    traffic.stop([])
    assert setup.doubt() == ""


def test_a_query_knows_which_clients_may_send_yet(setup: Setup) -> None:
    """A count of nothing is no count while connections are still to be opened."""
    for number, (name, port) in enumerate(list(setup.tester.ports.items()), 2):
        address = ip_interface(f"198.18.0.{number}/24")
        setup.tester.ports[name] = replace(port, address=address)  # type: ignore[index]
    setup.start()
    setup.start("mine", streams=("north",))
    setup.ends.start(Responder(name="web", port="p2", protocol="tcp-server", servers=SERVICE))
    assert setup.queries.result("q").unfinished == ""
    setup.ends.start(users(total=5, rate=Frequency(Fraction(50))))
    expected = "users is sending, so packets may come yet; call Wait For Clients or Stop Clients first"
    assert setup.queries.result("q").unfinished == expected
    assert setup.queries.result("mine").unfinished == ""
    setup.tester.clock.sleep(SECOND.seconds)
    assert setup.ends.statistics("users").completed == 5
    assert setup.queries.result("q").unfinished == ""
    setup.ends.stop(["users"], Clients)
    setup.ends.start(users(name="endless", rate=Frequency(Fraction(50))))
    Traffic(setup.tester).start([stream()])
    assert setup.queries.result("q").unfinished == (
        "north, endless are sending, so packets may come yet; call Stop Traffic and Wait For Clients or "
        "Stop Clients first"
    )
    setup.ends.stop(["endless"], Clients)
    assert "endless" not in setup.queries.result("q").unfinished


def test_an_end_that_stood_still_before_says_nothing_of_a_query(tmp_path: Path) -> None:
    setup = Setup(tmp_path, stalls=[1])
    setup.ends.start(Responder(name="web", port="p2", protocol="http-get", servers=SERVICE))
    setup.tester.clock.sleep(TENTH.seconds)
    setup.start()
    assert "a worker did not run" in setup.ends.so_far("web").doubt
    assert setup.doubt() == ""


TAGS_LOST = "port p2: the other end keeps tags"


@pytest.mark.parametrize(
    ("asked", "tells"),
    [
        ({"filter": PacketFilter.parse("VLAN.vlan == 7")}, True),
        ({"keys": QueryKeys.parse("VLAN.type")}, True),
        ({"keys": QueryKeys.parse("Ether.type")}, True),
        ({"filter": PacketFilter.parse("length > 100")}, True),
        ({"keys": QueryKeys.parse("Ether.src"), "value": QueryField.parse("length")}, True),
        ({"keys": QueryKeys.parse("Ether.src,IP.src")}, False),
        ({"filter": PacketFilter.parse("IP.ttl > 5 and UDP.dport == 7")}, False),
        ({"filter": PacketFilter.parse("VLAN.vlan == 7"), "direction": Direction.TRANSMITTED}, False),
        ({"filter": PacketFilter.parse("VLAN.vlan == 7"), "port": "p1"}, False),
    ],
)
def test_a_port_that_may_have_lost_tags_leaves_what_tells_of_them_open(
    tmp_path: Path, asked: dict[str, Any], tells: bool
) -> None:
    """Nothing has a tag there: a count of tagged packets is 0, and a sum of lengths too small."""
    ports = (fake_port("p1"), replace(fake_port("p2"), loses_tags="the other end keeps tags"))
    setup = Setup(tmp_path, ports=ports)
    setup.queries.start(Query(name="q", **asked))
    assert setup.doubt() == (TAGS_LOST if tells else "")
