# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients do as much as the operator of an engine lets them, whatever they ask for: `testerd --policy`."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import grpc
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

from TesterLibrary._generated.tester.v1 import control_pb2, control_pb2_grpc, lease_pb2, plan_pb2
from TesterLibrary.errors import LeaseError, PlanError
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.inline import Path as InlinePath
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import LearningFrame
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Duration
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.engine.address import open_channel
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.program import find_program
from TesterLibrary.targets.parts import LeaseTerms

from .rig import Rig
from .started import started
from .test_engine_tls import Identity, identity, serving
from .test_replay import replaying
from .test_responder import Sessions, clients, server

SOME_TIME = Duration(60 * 10**9)
# The ports of a rig have the addresses 198.18.0.2 and .3; learning frames are neither IP nor ARP.
INSIDE = "source 198.18.0.0/24\ndestination 198.18.0.0/24\nothers allow\n"
OUTSIDE = "203.0.113.1"
NOT_SENT = f"{OUTSIDE} may not be sent; the policy of this tester allows 198.18.0.0/24"

pytestmark = pytest.mark.usefixtures("engine")


def written(folder: Path, policy: str) -> str:
    file = folder / "policy"
    file.write_text(policy)
    file.chmod(0o644)
    return str(file)


@contextmanager
def governed(folder: Path, policy: str) -> Iterator[tuple[Path, Rig]]:
    """The log of an engine with a policy, and somebody who uses it."""
    log, address = folder / "log", f"unix:{folder}/socket"
    with (
        started(log, address, "--policy", written(folder, policy)),
        closing(EngineTarget.connect(address)) as target,
    ):
        yield log, Rig(target)


def datagram(source: str, destination: str) -> bytes:
    frame = Ether(src="02:00:00:00:00:0a", dst="02:00:00:00:00:0b") / IP(src=source, dst=destination)
    return bytes(frame / UDP() / bytes(60))


def _stream(rig: Rig, _: Path) -> None:
    rig.load(rig.plan("out", headers=HeaderStack.parse(f"Ether / IP(dst='{OUTSIDE}') / UDP")))


def _inject(rig: Rig, _: Path) -> None:
    rig.target.frames.inject([LearningFrame("p1", datagram("198.18.0.2", OUTSIDE))])


def _replay(rig: Rig, folder: Path) -> None:
    frames = [datagram("198.18.0.2", end) for end in ("198.18.0.3", "198.18.0.3", OUTSIDE)]
    wrpcap(str(folder / "some.pcap"), [Ether(frame) for frame in frames])
    rig.load(replaying(rig, folder / "some.pcap"))


def _client(rig: Rig, _: Path) -> None:
    Sessions(rig).load(clients(sources=Endpoints.parse(f"{OUTSIDE}:1024-2000")))


def _path(rig: Rig, _: Path) -> None:
    job = Job("path", paths=(InlinePath("path", ("p1", "p2")),))
    rig.load(compile_job(job, ports=rig.ports, gateways={}, max_streams=1))


REFUSED: dict[str, tuple[Callable[[Rig, Path], None], str]] = {
    "stream": (_stream, f'job "out", stream 1 "out", frame 0: destination IPv4 address {NOT_SENT}'),
    "inject": (_inject, f'inject on "p1", frame 0: destination IPv4 address {NOT_SENT}'),
    "replay": (_replay, f"frame 3: destination IPv4 address {NOT_SENT}"),
    "client": (_client, f'responder "users", opening, address 0: source address {NOT_SENT}'),
    "path": (_path, 'path "path": a path forwards whatever others send, to any address; the policy'),
}


def test_what_may_be_sent_is_sent(tmp_path: Path) -> None:
    with governed(tmp_path, INSIDE) as (_, rig):
        rig.target.frames.inject(rig.load(rig.plan("north")).learning)
        assert rig.run(["north"], duration=Duration(10**8)).streams[0].rx_packets == 1000


def test_what_may_not_be_sent_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    with governed(tmp_path, INSIDE) as (log, rig):
        for ask, said in REFUSED.values():
            with pytest.raises(PlanError, match=re.escape(said)):
                ask(rig, tmp_path)
            assert said in log.read_text().replace('\\"', '"'), "the operator can read of it"
        assert rig.target.snapshot().jobs == ()
        assert {port.tx_packets for port in rig.target.snapshot().ports} == {0}


def test_a_policy_may_let_paths_forward(tmp_path: Path) -> None:
    with governed(tmp_path, INSIDE + "paths allow\n") as (_, rig):
        _path(rig, tmp_path)


def test_an_answer_that_may_not_be_sent_is_not_and_ends_its_job(tmp_path: Path) -> None:
    """Nobody knows who will ask a responder before somebody does."""
    with governed(tmp_path, "destination 198.18.0.0/24\nothers allow\n") as (log, rig):
        sessions = Sessions(rig)
        sessions.start(server("http-server"))
        before = rig.target.snapshot()
        sessions.start(clients(sources=Endpoints.parse(f"{OUTSIDE}:1024-2000"), total=1))
        until(lambda: '"policy"' in log.read_text())
        (job,) = [job for job in rig.target.snapshot().jobs if job.name == "web"]
        assert job.stopped_by.startswith(
            'the policy of the tester: responder "web" would have sent a frame: destination IPv4 address'
        )
        assert NOT_SENT in job.stopped_by
        after = rig.target.snapshot()
        assert after.port("p2").tx_packets == before.port("p2").tx_packets


def test_rates_of_all_jobs_are_summed_up(tmp_path: Path) -> None:
    with governed(tmp_path, "rate p1 15000 pps\nrate p2 5120000 bps\n") as (_, rig):
        rig.load(rig.plan("north", rate="10 kpps"))
        with pytest.raises(
            PlanError, match=r'job "more": port "p1" would send up to 16000 pps .* allows 15000 pps'
        ):
            rig.load(rig.plan("more", rate="6 kpps", first_id=2))
        rig.load(rig.plan("less", rate="5 kpps", first_id=2))
        rig.load(rig.plan("south", rate="10 kpps", first_id=3, back=True))
        with pytest.raises(PlanError, match=r'port "p2" would send up to 5120512 bps .* allows 5120000 bps'):
            rig.load(rig.plan("drop", rate="1 pps", first_id=4, back=True))
        (faster,) = rig.plan("north", rate="11 kpps").streams
        with pytest.raises(PlanError, match=r'update of job "north", stream 1: port "p1" would send'):
            rig.target.update("north", faster)


def test_who_sends_faster_than_allowed_is_stopped(tmp_path: Path) -> None:
    """How often a responder answers shows only when it does."""
    with governed(tmp_path, "rate p2 500 pps\n") as (log, rig):
        sessions = Sessions(rig)
        sessions.start(server(), clients(connections=20, rate=Frequency.parse("1000/s")))
        until(lambda: '"policy"' in log.read_text())
        counted = rig.target.snapshot()
        assert 500 < counted.port("p2").tx_packets < 5000
        web, users = (next(job for job in counted.jobs if job.name == name) for name in ("web", "users"))
        said = r'the policy of the tester: port "p2" has sent \d+ frames within a second, and may send 500'
        assert re.match(said, web.stopped_by)
        assert users.stopped_by == ""
        rig.pass_time(0.2)
        assert rig.target.snapshot().port("p2").tx_packets == counted.port("p2").tx_packets


def again_and_again(call: Callable[[], None]) -> None:
    """Each takes milliseconds; two or three of them send the frames of a second."""
    for _ in range(100):
        call()
        time.sleep(0.02)


def test_frames_that_are_injected_count_as_well(tmp_path: Path) -> None:
    """No job could be stopped for them."""
    frames = [LearningFrame("p1", datagram("198.18.0.2", "198.18.0.3"))] * 400
    with governed(tmp_path, "rate p1 1000 pps\n") as (log, rig):
        said = r'inject: port "p1" has sent \d+ frames within a second, and would send 400; .* 1000:'
        with pytest.raises(PlanError, match=said):
            again_and_again(lambda: rig.target.frames.inject(frames))
        assert "would send 400" in log.read_text()
        rig.pass_time(1.2)
        rig.target.frames.inject(frames)


@pytest.mark.parametrize("again", ["start", "update"])
def test_who_begins_a_burst_again_and_again_sends_no_more_of_them(tmp_path: Path, again: str) -> None:
    """Each is as many frames as may leave within a second, and the next one is a matter of milliseconds."""
    burst = plan_pb2.Script(messages=[{"packets": 1000}, {"packets": 1, "pause_ns": 10**12}])
    stream = plan_pb2.Stream(id=1, name="burst", tx_port="p1", rx_port="p2", frames=[bytes(60)])
    stream.departures.script.CopyFrom(burst)
    with governed(tmp_path, "rate p1 1000 pps\nothers allow\n") as (_, rig):
        address = f"unix:{tmp_path}/socket"
        with open_channel(address, None) as channel:
            engine = control_pb2_grpc.TesterStub(channel)
            engine.Load(control_pb2.LoadRequest(job=plan_pb2.Job(name="burst", streams=[stream])))

            def begin() -> None:
                if again == "start":
                    engine.Stop(control_pb2.StopRequest(jobs=["burst"]))
                    engine.Start(control_pb2.StartRequest(jobs=["burst"]))
                else:
                    engine.Update(control_pb2.UpdateRequest(job="burst", stream=stream))

            engine.Start(control_pb2.StartRequest(jobs=["burst"]))
            with pytest.raises(grpc.RpcError, match=r"has sent .*the policy of this tester allows"):
                again_and_again(begin)
            rig.pass_time(0.2)
            with pytest.raises(
                grpc.RpcError, match=r"sent more than the policy of this tester allows; wait for"
            ):
                begin()
        assert rig.target.snapshot().port("p1").tx_packets < 5000


@pytest.fixture(scope="module")
def identities(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Identity]:
    folder = tmp_path_factory.mktemp("roles")
    return {name: identity(folder, name) for name in ("server", "watcher", "alice", "root", "stranger")}


def test_a_certificate_has_a_role(tmp_path: Path, identities: dict[str, Identity]) -> None:
    everybody = tmp_path / "all.pem"
    everybody.write_text("".join(who.certificate.read_text() for who in identities.values()))
    policy = written(tmp_path, "client watcher observe\nclient alice run\nclient root admin\n")

    def certificates(name: str) -> Identity:
        return Identity(identities[name].certificate, identities[name].key, identities["server"].ca)

    with serving(tmp_path, identities["server"], everybody, "--policy", policy) as address:

        def take(name: str, *, force: bool = False) -> None:
            """As a process of his own: those of one process share its lease."""
            with open_channel(address, certificates(name)) as channel:
                request = lease_pb2.AcquireLeaseRequest(owner=name, ttl_ns=SOME_TIME.ns, force=force)
                control_pb2_grpc.TesterStub(channel).AcquireLease(request, timeout=20)

        def connect(name: str) -> EngineTarget:
            return EngineTarget.connect(address, certificates=certificates(name))

        with pytest.raises(LeaseError, match=r'certificate of "stranger".* may not use this tester'):
            connect("stranger")
        with closing(connect("watcher")) as watcher, closing(connect("alice")) as alice:
            alice.leases.acquire(LeaseTerms("alice", SOME_TIME))
            rig = Rig(alice)
            rig.load(rig.plan("hers"))
            alice.start(["hers"])
            assert watcher.snapshot(["hers"]).streams, "it may look"
            observes = (
                r"certificate watcher.* has the role observe in the policy of this tester; .* needs run"
            )
            with pytest.raises(LeaseError, match=observes):
                watcher.stop(["hers"])
            with pytest.raises(grpc.RpcError, match=observes):
                take("watcher")
            with pytest.raises(grpc.RpcError, match=r"certificate alice.* has the role run .* needs admin"):
                take("alice", force=True)
            assert alice.snapshot(["hers"]).streams
            take("root", force=True)
            with pytest.raises(LeaseError, match="was taken over by"):
                alice.snapshot(["hers"])
        (log,) = tmp_path.glob("log-*")
        assert '"call":"Stop","by":"' in log.read_text()


@pytest.mark.parametrize(
    ("policy", "refusal"),
    [
        ("client alice run", "--policy: `client` is for --listen grpc+tls; a UNIX socket has one user"),
        ("rate p9 5 pps", '--policy: rate of "p9", which is no --port'),
        (
            "rate p1 fast",
            'line 1: "rate" with 2 word(s) behind it; allowed are: client NAME observe|run|admin',
        ),
        ("", "has no rules"),
    ],
)
def test_a_policy_that_is_none_is_refused(tmp_path: Path, policy: str, refusal: str) -> None:
    assert refusal in _refused(tmp_path, "--policy", written(tmp_path, policy))


def test_a_policy_that_others_can_change_is_refused(tmp_path: Path) -> None:
    file = Path(written(tmp_path, INSIDE))
    file.chmod(0o664)
    assert f"can be changed by others than its owner; chmod go-w {file}" in _refused(
        tmp_path, "--policy", str(file)
    )


def _refused(folder: Path, *options: str) -> str:
    command = [str(find_program()), "--listen", f"unix:{folder}/socket", "--port", "p1=loop:x", *options]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert refused.returncode == 2
    return refused.stderr


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)
