# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Trials of connections, addresses, neighbours and groups go on behind the last finished one, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest

from TesterLibrary.campaign.interrupted_run import set_aside
from TesterLibrary.measurement.counter import EVERY_COUNTER
from TesterLibrary.measurement.snapshot import FlowCounters
from TesterLibrary.measurement.trial import Trial
from TesterLibrary.methodology.address_table import find_address_capacity, find_address_learning_rate
from TesterLibrary.methodology.ageing import AgeingTrial, measure_ageing
from TesterLibrary.methodology.groups.group_capacity import find_group_capacity
from TesterLibrary.methodology.groups.group_delay import measure_group_delays
from TesterLibrary.methodology.learning import LearningResult, find_capacity, learning_rate_above
from TesterLibrary.methodology.maximum import MaximumResult, MaximumSearch, Quantity, find_maximum
from TesterLibrary.methodology.result import Result
from TesterLibrary.model.editor import Sweep
from TesterLibrary.model.endpoints import AddressRange
from TesterLibrary.model.responder import Clients
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration, Rate
from TesterLibrary.reporting.record.agenda import Item
from TesterLibrary.reporting.record.finished_trials import OBSERVATION, _records
from TesterLibrary.reporting.record.records import read
from TesterLibrary.reporting.record.resumed_parts import taken_over
from TesterLibrary.running.measurer import NO_PAUSES
from TesterLibrary.running.memberships import Memberships
from TesterLibrary.running.procedures.addresses import AddressPorts, TableMeasurer
from TesterLibrary.running.procedures.ageing import BridgeAgeing
from TesterLibrary.running.procedures.connection_trials import ConcurrencyMeasurer
from TesterLibrary.running.procedures.group_delay import DelayMeasurer
from TesterLibrary.running.procedures.groups import CapacityMeasurer, GroupPorts, MemberLatency
from TesterLibrary.running.procedures.neighbours import NeighbourMeasurer
from TesterLibrary.running.tester import Tester
from TesterLibrary.running.trial import StreamRun
from TesterLibrary.targets.fake import FakeNat, FakeTarget, fake_port
from TesterLibrary.targets.fake.parts import FakeFlows
from TesterLibrary.verdict import Outcome

from .procedures.nat_bench import EXACTLY, OUTSIDE, Bench
from .procedures.test_group_delay import SHORT, STREAM, V2
from .procedures.test_neighbours import TWENTY, Asking, behind
from .testers import SECOND, fake_tester

PLACE = ("bed.Suite", "Test")
ITEM = Item("bed", *PLACE)
RATE = Frequency.parse("1 k/s")
REST = Duration(10 * 10**9)


@dataclass
class Device:
    """A device that outlives the attempts at a test: whom it knows, and the times it was left alone."""

    known: set[Any] = field(default_factory=set)
    asked: set[Any] = field(default_factory=set)
    rested: list[float] = field(default_factory=list)  # seconds


Made = tuple[Tester, Callable[[], Result]]
Case = Callable[[Path, Device], Made]


def nat_capacity(folder: Path, _: Device) -> Made:
    bench = Bench(folder, FakeNat(OUTSIDE, entries=3))
    return bench.tester, bench.capacity


def nat_rate(folder: Path, _: Device) -> Made:
    bench = Bench(folder, FakeNat(OUTSIDE, rate=30))
    return bench.tester, lambda: bench.rate(60)


def teardown(folder: Path, _: Device) -> Made:
    bench = Bench(folder, FakeNat(OUTSIDE, deletes=40))
    return bench.tester, lambda: bench.teardown(10, repetitions=3)


class Bridge(TableMeasurer):
    """A bridge that holds 11 addresses, learns each second no more than 3,000, and forgets what it rests."""

    device = Device()
    entries, rate = 11, 3000

    def _sent(self, stream: Stream) -> Trial:
        (editor,), known = stream.editors, self.device.known
        assert isinstance(editor.mode, Sweep)
        first, count = int(editor.mode.first.replace(":", ""), 16), editor.mode.count
        assert count is not None
        learning = editor.path.field == "src"
        if learning:
            for address in range(first, first + count):
                if len(known) < self.entries and (stream.rate.value <= self.rate or address % 2):
                    known.add(address)
        trial = super()._sent(stream)
        flooded = 0 if learning else count - len(known & set(range(first, first + count)))
        (found,) = trial.streams
        counters = replace(found.counters, rx_misrouted=flooded)
        return replace(trial, streams=(replace(found, counters=counters),))

    def _forget(self) -> None:
        self.device.rested.append(self._rest.seconds)
        self.device.known.clear()


def bridge(folder: Path, device: Device) -> tuple[Tester, Bridge]:
    tester = fake_tester(folder, ports=[fake_port(name) for name in ("p1", "p2", "p3")])
    tester.capabilities = replace(tester.capabilities, counts=EVERY_COUNTER)
    found = Bridge(tester, AddressPorts("p1", "p2", RATE), rest=REST)
    found.device = device
    return tester, found


def address_capacity(folder: Path, device: Device) -> Made:
    tester, found = bridge(folder, device)
    return tester, lambda: find_address_capacity(found, "bed", lowest=4, highest=64, rate=RATE)


def address_rate(folder: Path, device: Device) -> Made:
    tester, found = bridge(folder, device)
    return tester, lambda: find_address_learning_rate(found, "bed", addresses=5, lowest=1000, highest=8000)


class Router(Asking):
    """A router that knows as many as 6 neighbours, and takes announcements."""

    takes = True
    entries = 6

    def start(self, jobs: Sequence[str], *args: Any, **given: Any) -> None:
        super().start(jobs, *args, **given)
        for address in sorted(self.known)[self.entries :]:
            self.known.discard(address)


def router(folder: Path, device: Device, *, takes: bool) -> tuple[Tester, NeighbourMeasurer]:
    tester, target = fake_tester(folder), Router()
    target.takes, target.known, target.asked = takes, device.known, device.asked
    found = behind(tester, target)
    clock = tester.clock

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        if seconds >= 1:
            device.rested.append(seconds)
            device.known.clear()

    tester.clock = replace(clock, sleep=sleep)
    return tester, found


def neighbour_cache(folder: Path, device: Device) -> Made:
    tester, found = router(folder, device, takes=True)
    return tester, lambda: find_capacity(found, str(TWENTY), 2, 12)


def neighbour_cache_of_who_asks(folder: Path, device: Device) -> Made:
    """It takes announcements for answers to its own questions: those for whom it has asked are known."""
    tester, found = router(folder, device, takes=False)
    return tester, lambda: find_capacity(found, str(TWENTY), 2, 12)


def neighbour_learning(folder: Path, device: Device) -> Made:
    tester, found = router(folder, device, takes=True)
    found._rest = Duration(0)  # as of the keyword

    def both() -> Result:
        for count in (3, 6):
            result = LearningResult(str(count), (), found.measure(count))
            tester.recorder.result(result)
        return result

    return tester, both


class Snooping(FakeTarget):
    """A switch that forwards as many as 3 groups."""

    def __init__(self) -> None:
        super().__init__()
        self.flows = SnoopingFlows(self.bench)


class SnoopingFlows(FakeFlows):
    def read(self, job: str, stream_id: int) -> Iterator[FlowCounters]:
        for flow in super().read(job, stream_id):
            yield replace(flow, rx_packets=tuple(n * (k < 3) for k, n in enumerate(flow.rx_packets)))


def group_capacity(folder: Path, device: Device) -> Made:
    tester = fake_tester(folder, target=Snooping())
    tester.capabilities = replace(tester.capabilities, counts=EVERY_COUNTER)
    ports = GroupPorts("p1", ("p2",), AddressRange.parse("239.1.1.1").first, V2, RATE)
    found = CapacityMeasurer(
        tester,
        Memberships(tester),
        ports,
        most=8,
        probe_rate=RATE,
        settle=Duration(10**8),
        recover=lambda: device.rested.append(1.0),
    )
    return tester, lambda: find_group_capacity(found, "bed", lowest=1, highest=8)


BURDEN = Stream("north", tx="p2", rx="p1", rate=Rate.parse("1 kpps"))


def group_delays(folder: Path, _: Device) -> Made:
    tester = fake_tester(folder)
    tester.capabilities = replace(tester.capabilities, counts=EVERY_COUNTER)
    memberships = Memberships(tester)
    found = DelayMeasurer(tester, memberships, STREAM, "p2", protocol=V2, times=SHORT, burden=[BURDEN])

    def measured() -> Result:
        result = measure_group_delays(found, "bed", 3)
        return replace(result, burden=tuple(found.burden.trials))

    return tester, measured


class Ageing(BridgeAgeing):
    """A bridge that forgets an address after a time that the address has."""

    def _age(self, mac: str, timeout: Duration) -> AgeingTrial:  # noqa: ARG002 - as it is overridden
        tester, number = self._tester, int(mac[-2:], 16)
        tester.evidence.trials += 1
        stream = Stream("learned", tx="p1", rx="p2", rate=Rate.parse("1 kpps"))
        with self._run(stream) as run:
            run.start(packets=1)
            tester.evidence.record(run.finish())
        return AgeingTrial(mac, known=True, least_ns=number * 10**9, most_ns=number * 10**9 + 5)

    def _run(self, stream: Stream) -> Any:
        return StreamRun(self._tester, f"ageing-{self._tester.evidence.trials}", [stream]).loaded()


def ageing(folder: Path, _: Device) -> Made:
    tester = fake_tester(folder, ports=[fake_port(name) for name in ("p1", "p2", "p3")])
    tester.capabilities = replace(tester.capabilities, counts=EVERY_COUNTER)
    found = Ageing(tester, "p1", "p2", None, RATE)
    return tester, lambda: measure_ageing(found, "bed", cycles=4, timeout=SECOND)


CASES = (
    nat_capacity,
    nat_rate,
    teardown,
    address_capacity,
    address_rate,
    neighbour_cache,
    neighbour_cache_of_who_asks,
    group_capacity,
    group_delays,
    ageing,
)


@dataclass
class Attempt:
    """An attempt at a test, in a process of its own: it knows nothing but the records."""

    tester: Tester
    measure: Callable[[], Result]
    starts: int = 0
    observed: list[int] = field(default_factory=list)  # starts until the end of each observation

    def run(self) -> Result:
        result = self.measure()
        self.tester.recorder.result(result)
        return result


def attempt(case: Case, folder: Path, device: Device, dies_in: int | None = None) -> Attempt:
    """Begins the test anew; the process dies when it starts jobs for that time, from 1."""
    tester, measure = case(folder, device)
    this, begin = Attempt(tester, measure), tester.target.start

    def start(*arguments: Any, **options: Any) -> None:
        this.starts += 1
        begin(*arguments, **options)
        if this.starts == dies_in:
            raise KeyboardInterrupt

    def event(name: str, **facts: Any) -> None:
        note(name, **facts)
        if name == OBSERVATION:
            this.observed.append(this.starts)

    note = tester.recorder.event
    tester.recorder.event = event  # type: ignore[method-assign]
    tester.target.start = start  # type: ignore[method-assign]
    tester.recorder.begin_test(*PLACE)
    return this


def told(result: Result) -> list[str]:
    """All that a result says, and each of its trials, without the times at which they were measured."""
    measured: Sequence[Any] = getattr(result, "measured", ()) or getattr(result, "checks", ())
    dated = [replace(one, started_at="") if hasattr(one, "started_at") else one for one in measured]
    numbered = [f"{trial.number}.{trial.attempt} {trial}" for trial in result.trials]
    return [str(result), *numbered, *map(str, dated)]


def observations(folder: Path) -> int:
    return sum(r["event"] == OBSERVATION for r in _records(folder / "events.jsonl", *PLACE))


def killed_and_resumed(case: Case, folder: Path, *, each: bool) -> None:
    """Kills a test in each of its trials, each time anew, or in the middle one, and has it go on."""
    whole = attempt(case, folder / "whole", Device())
    expected = told(whole.run())
    every = observations(folder / "whole")
    assert every >= 3
    begins = [0, *whole.observed[:-1]]
    sending = [number for number, end in enumerate(whole.observed) if end > begins[number]]
    for number in sending if each else sending[len(sending) // 2 :][:1]:
        place, device = folder / str(number), Device()
        with pytest.raises(KeyboardInterrupt):
            attempt(case, place, device, begins[number] + 1).run()
        assert observations(place) == number
        set_aside(place, [ITEM])
        again = attempt(case, place, device)
        assert told(again.run()) == expected
        assert again.tester.recorder.finished.taken == number, "a finished trial was measured again"
        records = read(place)
        assert [told(record.result) for record in records.results][-1:] == [expected]
        assert observations(place) == every


@pytest.mark.parametrize("case", CASES)
def test_a_test_that_was_killed_finds_what_it_would_have_found(case: Case, tmp_path: Path) -> None:
    killed_and_resumed(case, tmp_path, each=False)


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_a_test_that_was_killed_in_any_trial_finds_what_it_would_have_found(
    case: Case, tmp_path: Path
) -> None:
    killed_and_resumed(case, tmp_path, each=True)


def interrupted(case: Case, folder: Path, device: Device, *, behind: int, new: bool = False) -> Attempt:
    """The next attempt at a test that was killed in the trial behind so many finished ones."""
    whole = attempt(case, folder / "whole", Device())
    whole.run()
    with pytest.raises(KeyboardInterrupt):
        attempt(case, folder, device, [0, *whole.observed][behind] + 1).run()
    set_aside(folder, [ITEM])
    device.rested.clear()
    again = attempt(case, folder, device)
    again.tester.device_is_new = new
    return again


@pytest.mark.parametrize("case", [address_capacity, neighbour_cache, group_capacity])
def test_a_device_that_was_left_in_the_middle_forgets_before_it_is_measured_again(
    case: Case, tmp_path: Path
) -> None:
    """Only a device that was made for this run has nothing to forget. Nobody waits for what is taken over."""
    device, new = Device(), Device()
    whole = attempt(case, tmp_path / "all", Device())
    for name, left, is_new in (("left", device, False), ("new", new, True)):
        again = interrupted(case, tmp_path / name, left, behind=3, new=is_new)
        new.known.clear()
        again.run()
        assert again.tester.recorder.finished.taken == 3
        said = taken_over(read(tmp_path / name), again.tester.recorder.place)
        assert said.startswith("3 of its trials taken over from an interrupted attempt, measured from 20")
    assert len(device.rested) == len(new.rested) + 1
    assert whole.tester.recorder.finished.taken == 0


def held(folder: Path, _: Device) -> Made:
    bench = Bench(folder, FakeNat(OUTSIDE, entries=3))
    search = MaximumSearch(Quantity.CONCURRENT, 1, 8, SECOND, EXACTLY)
    return bench.tester, lambda: find_maximum(ConcurrencyMeasurer(bench.ends, "inside"), search)


def test_connections_that_an_interrupted_attempt_has_left_are_not_held_against_a_device(
    tmp_path: Path,
) -> None:
    left = cast(MaximumResult, interrupted(held, tmp_path / "left", Device(), behind=1).run())
    verdict = left.verdict_above(5, "5")
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "an interrupted attempt at this test may have left connections in the device" in verdict.reason
    assert left.verdict_above(2, "2").outcome is Outcome.PASS, "they only take room"
    new = cast(MaximumResult, interrupted(held, tmp_path / "new", Device(), behind=1, new=True).run())
    assert new.verdict_above(5, "5").outcome is Outcome.FAIL


def test_addresses_that_a_device_may_know_from_before_are_not_learned(tmp_path: Path) -> None:
    again = interrupted(neighbour_learning, tmp_path / "left", Device(), behind=1)
    verdict = learning_rate_above(cast(LearningResult, again.run()), Frequency.parse("1/s"))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "the device may know addresses that were announced before" in verdict.reason
    again = interrupted(neighbour_learning, tmp_path / "new", Device(), behind=1, new=True)
    result = cast(LearningResult, again.run())
    assert learning_rate_above(result, Frequency.parse("1/s")).outcome is Outcome.PASS


def test_who_reads_the_counters_of_an_end_wants_it_to_have_seen_the_trials(tmp_path: Path) -> None:
    benches: list[Bench] = []

    def nat(folder: Path, _: Device) -> Made:
        benches.append(Bench(folder, FakeNat(OUTSIDE, entries=3)))
        return benches[-1].tester, benches[-1].capacity

    again = interrupted(nat, tmp_path, Device(), behind=2)
    again.run()
    ends, recorder = benches[-1].ends, again.tester.recorder
    assert ends.statistics("inside").openings, "its clients started anew"
    assert not recorder.unseen
    assert ends.statistics("outside").begun
    assert "2 of its trials were taken over" in recorder.unseen
    assert "a keyword may look at an end, 'outside', that has not seen them" in recorder.unseen


def test_clients_whose_trials_were_all_taken_over_open_nothing_more(tmp_path: Path) -> None:
    benches: list[Bench] = []

    def nat(folder: Path, _: Device) -> Made:
        benches.append(Bench(folder, FakeNat(OUTSIDE, entries=3), total=None))
        return benches[-1].tester, benches[-1].capacity

    attempt(nat, tmp_path, Device()).run()
    set_aside(tmp_path, [ITEM])
    again = attempt(nat, tmp_path, Device())
    begun = again.starts
    again.run()
    assert again.starts == begun
    bench = benches[-1]
    before = bench.ends.statistics("inside").openings
    bench.sleep(1.0)
    assert bench.ends.statistics("inside").openings == before
    assert bench.ends.stop(["inside"], Clients)


def test_trials_beside_a_burden_are_measured(tmp_path: Path) -> None:
    """The burden is a trial, too, which would have nothing beside it."""

    def latency(folder: Path, _: Device) -> Made:
        tester = fake_tester(folder)
        tester.capabilities = replace(tester.capabilities, counts=EVERY_COUNTER)
        found = MemberLatency(tester, STREAM, SECOND, note=lambda _: None, pauses=NO_PAUSES, burden=[BURDEN])

        return tester, lambda: [found.at("p2") for _ in range(2)]  # type: ignore[return-value]

    attempt(latency, tmp_path, Device()).measure()
    set_aside(tmp_path, [ITEM])
    again = attempt(latency, tmp_path, Device())
    again.measure()
    assert again.tester.recorder.finished.taken == 0
    assert again.starts == 4
