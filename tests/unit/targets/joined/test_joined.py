# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Testers that a fake poses as, joined again: numbers are those of the fake by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from TesterLibrary.errors import PlanError, TargetError, TestbedError
from TesterLibrary.measurement.snapshot import Snapshot
from TesterLibrary.model.capture import Capture
from TesterLibrary.model.plan.law import even
from TesterLibrary.model.plan.plan import LearningFrame, Plan, PlannedStream
from TesterLibrary.model.plan.planned_path import PlannedPath
from TesterLibrary.model.units.units import Duration, Ratio
from TesterLibrary.targets.base import SendingProgress, Target
from TesterLibrary.targets.fake import FakeDevice, FakePath, FakeTarget, fake_port
from TesterLibrary.targets.fake.shared import FakeMember, SharedFake
from TesterLibrary.targets.joined import JoinedTarget

SECOND = Duration(10**9)
MINUTE = Duration(60 * 10**9)
PORTS = {"left": ["p1"], "right": ["p2", "p4"], "third": ["p3"]}
LOSSY = FakeDevice(FakePath(loss=Ratio(Fraction(1, 97)), delay=Duration(123_456)))


def _fake(device: FakeDevice | None = None, **options: Any) -> FakeTarget:
    return FakeTarget([fake_port(f"p{n}") for n in (1, 2, 3, 4)], device=device, **options)


def _joined(fake: FakeTarget, ports: Mapping[str, Sequence[str]] = PORTS) -> JoinedTarget:
    return JoinedTarget(SharedFake(fake, ports).testers)


def _stream(number: int, tx: str, rx: str, rate: int = 10_000) -> PlannedStream:
    law = even(Fraction(rate, 10**9))
    return PlannedStream(number, f"{tx}-{rx}", tx, rx, (bytes([number] * 60),), True, law, flows=5)


def _plan(*pairs: tuple[str, str], job: str = "job", first: int = 1) -> Plan:
    streams = tuple(_stream(number, tx, rx) for number, (tx, rx) in enumerate(pairs, first))
    return Plan(job, 1, streams)


MESH = _plan(("p1", "p2"), ("p2", "p1"), ("p3", "p4"), ("p2", "p4"), ("p4", "p3"))


def _run(target: Target, plan: Plan) -> Snapshot:
    target.load(plan)
    target.start([plan.job], duration=SECOND)
    target.wait([plan.job], timeout=MINUTE)
    return target.snapshot([plan.job])


def test_counters_are_those_of_one_tester() -> None:
    alone, joined = _run(_fake(LOSSY), MESH), _run(_joined(_fake(LOSSY)), MESH)
    starts = alone.jobs[0].started_at_ns - joined.jobs[0].started_at_ns
    for one, other in zip(alone.streams, joined.streams, strict=True):
        other = replace(
            other,
            first_tx_ns=other.first_tx_ns + starts,
            last_tx_ns=other.last_tx_ns + starts,
            first_rx_ns=other.first_rx_ns + starts,
            last_rx_ns=other.last_rx_ns + starts,
        )
        lost = one.tx_packets - one.rx_packets
        assert lost in (103, 104)
        between = one.id in (1, 2, 3, 5)
        assert other == (replace(one, rx_version_rewritten=None) if between else one)
    assert [port.name for port in joined.ports] == ["p1", "p2", "p4", "p3"]
    assert {port.name: port.rx_packets for port in joined.ports} == {
        port.name: port.rx_packets for port in alone.ports
    }
    assert {polls.port for polls in joined.jobs[0].polls} == {"p1", "p2", "p3", "p4"}


def test_flows_have_departures_of_the_sender_and_arrivals_of_the_receiver() -> None:
    alone, joined = _fake(LOSSY), _joined(_fake(LOSSY))
    for target in (alone, joined):
        _run(target, MESH)
    for number in (1, 4):
        counters = [list(target.flows.read("job", number)) for target in (alone, joined) if target.flows]
        assert counters[0] == counters[1]


def test_a_frame_that_goes_astray_is_named_with_its_port() -> None:
    device = FakeDevice(paths={("p1", "p2"): FakePath(out="p3")})
    (counted,) = _run(_joined(_fake(device)), _plan(("p1", "p2"))).streams
    assert (counted.rx_packets, counted.rx_misrouted) == (0, counted.tx_packets)
    assert counted.rx_misrouted_ports == ("p3",)


def test_capabilities_are_joined_by_port() -> None:
    target = _joined(_fake(max_streams=12))
    capabilities = target.capabilities()
    assert [port.name for port in capabilities.ports] == ["p1", "p2", "p4", "p3"]
    assert (capabilities.target, capabilities.max_streams) == ("fake", 12)
    assert capabilities.counts == _fake().capabilities().counts
    assert "left: " in capabilities.details


def test_two_testers_have_no_port_of_one_name() -> None:
    with pytest.raises(TestbedError, match="'a' and 'b' both have a port 'p1'"):
        JoinedTarget({"a": _fake(), "b": _fake()})


def test_testers_of_different_versions_share_no_streams() -> None:
    testers = SharedFake(_fake(), PORTS).testers
    later = replace(testers["right"].capabilities(), version="9.9")
    testers["right"].capabilities = lambda: later  # type: ignore[method-assign]
    with pytest.raises(TargetError, match=r"'right' has 9\.9, .* install one version"):
        JoinedTarget(testers)


def test_testers_with_clocks_of_their_own_are_not_joined() -> None:
    with pytest.raises(TestbedError, match="simulated testers can be joined only with each other"):
        JoinedTarget({"a": FakeTarget([fake_port("a")]), "b": FakeTarget([fake_port("b")])})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"paths": (PlannedPath("wan", "p1", "p2"),)},
            "path 'wan' has the ports p1, p2 of the testers 'left' and 'right'",
        ),
        ({"streams": (_stream(1, "p1", "p9"),)}, "no port 'p9'; it has p1, p2, p4, p3"),
    ],
)
def test_what_needs_two_testers_is_refused_by_name(change: dict[str, Any], problem: str) -> None:
    target = _joined(_fake())
    with pytest.raises(PlanError, match=problem):
        target.load(replace(MESH, **change))
    target.load(MESH)  # nothing is left of it


def test_a_capture_lies_at_one_tester() -> None:
    captures = _joined(_fake()).captures
    assert captures is not None
    for ports in ((), ("p1", "p2")):
        with pytest.raises(PlanError, match="'left' and 'right'"):
            captures.start(Capture("both", ports=ports))
    captures.start(Capture("one", ports=("p2", "p4")))
    assert captures.stop("one").counters.name == "one"
    captures.forget("one")
    with pytest.raises(PlanError, match="no tester has 'one'"):
        captures.stop("one")


def test_single_frames_leave_by_the_tester_of_their_port() -> None:
    target = _joined(_fake())
    assert target.frames is not None
    frame = bytes.fromhex("ffffffffffff020000000001") + bytes(48)
    target.frames.inject([LearningFrame("p1", frame), LearningFrame("p3", frame), LearningFrame("p3", frame)])
    sent = {port.name: port.tx_packets for port in target.snapshot().ports}
    assert sent == {"p1": 1, "p2": 0, "p3": 2, "p4": 0}


class _Failing(FakeMember):
    """A tester that fails in some calls."""

    def __init__(self, member: FakeMember, calls: str, error: Exception) -> None:
        self.__dict__.update(member.__dict__)

        def fail(*_: object, **__: object) -> None:
            raise error

        for call in calls.split():
            setattr(self, call, fail)
        self.instants = self


def _with_failing(call: str, error: Exception, **options: Any) -> tuple[FakeTarget, JoinedTarget]:
    fake = _fake(**options)
    testers: dict[str, Target] = dict(SharedFake(fake, PORTS).testers)
    right = testers["right"]
    assert isinstance(right, FakeMember)
    testers["right"] = _Failing(right, call, error)
    return fake, JoinedTarget(testers)


def test_a_plan_that_one_tester_refuses_is_loaded_at_none() -> None:
    fake, target = _with_failing("load", PlanError("no room"))
    for _ in range(2):
        with pytest.raises(PlanError, match="tester 'right': no room"):
            target.load(MESH)
    assert not fake.snapshot().streams
    with pytest.raises(PlanError, match="no job 'job' is loaded"):
        target.start(["job"])


@pytest.mark.parametrize("call", ["start", "wait snapshot", "snapshot"])
def test_if_one_tester_is_gone_nothing_goes_on_sending(call: str) -> None:
    fake, target = _with_failing(call, TargetError("it is gone"))
    target.load(MESH)

    def send() -> None:
        target.start(["job"])
        target.wait(["job"], timeout=SECOND)

    with pytest.raises(TargetError, match="tester 'right': it is gone"):
        send()
    assert not any(stream.sending for stream in fake.snapshot().streams)


class _Hung(FakeMember):
    """A tester that does not answer any more, while it goes on with what it does."""

    def __init__(self, member: FakeMember) -> None:
        self.__dict__.update(member.__dict__)
        self.answers = True
        self.is_closed = False
        self.instants = self

    def _refuse(self) -> None:
        if not self.answers:
            raise TargetError("no answer")

    def load(self, plan: Plan) -> None:
        super().load(plan)
        self._refuse()  # the plan arrived, the answer did not

    def snapshot(self, jobs: Sequence[str] = (), *, buckets: bool = True) -> Snapshot:
        self._refuse()
        return super().snapshot(jobs, buckets=buckets)

    def unload(self, jobs: Sequence[str]) -> None:
        self._refuse()
        super().unload(jobs)

    def close(self) -> None:
        self._refuse()
        self.is_closed = True


def _with_hung() -> tuple[_Hung, _Hung, JoinedTarget]:
    testers = SharedFake(_fake(), PORTS).testers
    left, right = (_Hung(testers[name]) for name in ("left", "right"))
    return left, right, JoinedTarget({**testers, "left": left, "right": right})


def test_a_tester_that_is_back_has_nothing_of_the_trial_before() -> None:
    _, right, target = _with_hung()
    target.load(MESH)
    target.start(["job"])
    right.answers = False
    with pytest.raises(TargetError, match="tester 'right': no answer"):
        target.unload(["job"])
    with pytest.raises(TargetError, match="tester 'right': no answer"):
        target.load(MESH)  # the next trial does not count, either
    right.answers = True
    assert [stream.rx_packets for stream in _run(target, MESH).streams] == [10_000] * 5


def test_a_plan_whose_answer_is_lost_does_not_stay_loaded() -> None:
    _, right, target = _with_hung()
    right.answers = False
    with pytest.raises(TargetError, match="tester 'right': no answer"):
        target.load(MESH)
    right.answers = True
    target.load(MESH)


def test_a_tester_that_does_not_answer_does_not_keep_others_open() -> None:
    left, right, target = _with_hung()
    left.answers = False
    with pytest.raises(TargetError, match="tester 'left': no answer"):
        target.close()
    assert right.is_closed


def test_errors_of_a_callback_end_the_wait() -> None:
    target = _joined(_fake())
    target.load(MESH)
    target.start(["job"])

    def refuse(_: SendingProgress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        target.wait(["job"], timeout=MINUTE, on_progress=refuse)


def test_progress_is_the_sum_over_testers() -> None:
    target = _joined(_fake())
    target.load(MESH)
    target.start(["job"], packets=20_000)
    seen: list[SendingProgress] = []
    target.wait(["job"], timeout=MINUTE, on_progress=seen.append)
    assert not seen[-1].sending
    assert max(progress.intended_packets for progress in seen) >= 5 * 20_000


def test_a_change_reaches_sender_and_receiver() -> None:
    target = _joined(_fake())
    target.load(MESH)
    target.start(["job"])
    target.update("job", replace(_stream(1, "p1", "p2", rate=20_000)))
    target.stop(["job"])
    assert target.snapshot(["job"]).jobs[0].updates == 1
    with pytest.raises(PlanError, match="no stream 77"):
        target.update("job", _stream(77, "p1", "p2"))


def test_what_is_sending_is_not_started_again() -> None:
    target = _joined(_fake())
    target.load(MESH)
    target.start(["job"])
    with pytest.raises(PlanError, match="job 'job' is sending already"):
        target.start(["job"])
    assert target.snapshot(["job"]).streams[0].sending


def _refuse_all(target: JoinedTarget) -> list[Callable[[], object]]:
    return [
        lambda: target.start(["no"]),
        lambda: target.stop(["no"]),
        lambda: target.unload(["no"]),
        lambda: target.wait(["no"], timeout=SECOND),
        lambda: target.snapshot(["no"]),
        lambda: target.flip(["no"]),
        lambda: target.update("no", _stream(1, "p1", "p2")),
    ]


@pytest.mark.parametrize("number", range(7))
def test_unknown_jobs_are_refused(number: int) -> None:
    target = _joined(_fake())
    target.load(MESH)
    with pytest.raises(PlanError, match="no job 'no' is loaded; loaded are: job"):
        _refuse_all(target)[number]()


def test_counters_of_many_testers_are_read_at_one_time() -> None:
    fake = FakeTarget([fake_port(f"p{number}") for number in range(128)], max_streams=128)
    target = _joined(fake, {f"t{number}": [f"p{2 * number}", f"p{2 * number + 1}"] for number in range(64)})
    target.load(_plan(*((f"p{number}", f"p{(number + 1) % 128}") for number in range(128))))
    target.start(["job"], packets=10)
    target.wait(["job"], timeout=MINUTE)
    before_ns = fake.now_ns
    alone = fake.snapshot()
    call_ns = fake.now_ns - before_ns
    joined = target.snapshot(["job"])
    assert joined.taken_at_ns - alone.taken_at_ns == call_ns
    assert [(s.tx_packets, s.rx_packets) for s in joined.streams] == [(10, 10)] * 128
