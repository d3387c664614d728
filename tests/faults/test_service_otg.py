# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A tester of the service for clients who know neither users nor leases: Open Traffic Generator."""

from __future__ import annotations

import json
import os
import pwd
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import LeaseError
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.process import EngineProcess
from tests.contract.leased_client import TESTBED
from tests.unit.service.otg.configs import config, flow
from tests.unit.service.served import ROOT, Served, until

PLACES = """
  lab:
    testbed: testbed.yaml
    otg: {http: 0, grpc: 0, locations: {"localhost:5555": p1, "localhost:5556": p2}, idle: 2 s}
"""
# A client that keeps its connection: a line of standard input is a request, the answer a line of its output.
CLIENT = """
import encodings.idna, http.client, json, os, sys
os.setuid(int(sys.argv[2]))
server = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=90)
for line in sys.stdin:
    method, path, body = json.loads(line)
    server.request(method, path, json.dumps(body) if body is not None else None)
    answer = server.getresponse()
    print(json.dumps([answer.status, json.loads(answer.read())]), flush=True)
"""
PACKETS = 300


class OtgClient:
    """A process of a Unix user, which drives a tester."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def ask(self, method: str, path: str, body: Any = None, expect: int = 200) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps([method, path, body]) + "\n")
        self.process.stdin.flush()
        status, answer = json.loads(self.process.stdout.readline())
        assert status == expect, answer
        return answer

    def configure(self, frames: int = PACKETS) -> None:
        limit = {"choice": "fixed_packets", "fixed_packets": {"packets": frames}}
        wanted = {"enable": True, "loss": True}
        north = flow("north", duration=limit, rate={"choice": "pps", "pps": 1000}, metrics=wanted)
        self.ask("POST", "/config", config(north))

    def start(self) -> None:
        state = {"choice": "flow_transmit", "flow_transmit": {"state": "start"}}
        self.ask("POST", "/control/state", {"choice": "traffic", "traffic": state})

    def metrics(self) -> Any:
        answer = self.ask("POST", "/monitor/metrics", {"choice": "flow", "flow": {}})
        return answer["flow_metrics"][0]


@contextmanager
def of(user: str, port: int, *within: str) -> Iterator[OtgClient]:
    """A client of a user; `within`: the command that begins it elsewhere."""
    command = [*within, sys.executable, "-c", CLIENT, str(port), str(pwd.getpwnam(user).pw_uid)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        yield OtgClient(process)
        process.kill()


@pytest.fixture
def service(engine: EngineProcess, tmp_path: Path) -> Iterator[tuple[Served, int]]:
    """A service, and the port of its only place."""
    (tmp_path / "testbed.yaml").write_text(TESTBED.format(address=engine.address))
    service = Served(tmp_path, PLACES)
    for name, role in (("root", "admin"), ("nobody", "user")):
        service.add(name, role)
    service.start()
    with closing(service):
        assert service.output
        pattern = r"lab: Open Traffic Generator at https://127\.0\.0\.1:(\d+) "
        found = re.match(pattern, service.output.readline())
        assert found
        yield service, int(found[1])


def test_two_users_of_open_traffic_generator_do_not_touch_each_other(
    service: tuple[Served, int], engine: EngineProcess
) -> None:
    served, port = service
    root = served.user("root")
    with of("root", port) as hers:
        hers.configure(frames=100_000)
        hers.start()
        (lease,) = (lease for lease in root.get("/v1/leases") if lease["state"] == "acquired")
        assert (lease["owner"], lease["place"]) == ("root", "lab")
        with of("nobody", port) as his:
            refused = his.ask("POST", "/config", {}, expect=500)
            assert refused["errors"] == ["place lab cannot be had now: it is leased to root; try again later"]
        with closing(EngineTarget.connect(engine.address)) as direct, pytest.raises(LeaseError, match="root"):
            direct.snapshot()
        before = hers.metrics()["frames_tx"]
        until(lambda: hers.metrics()["frames_tx"] > before)
        assert ("nobody", "otg", 409) in {line[:3] for line in served.audit()}
    until(lambda: root.get("/v1/places/lab")["owner"] == "")  # she is gone, and her traffic
    with closing(EngineTarget.connect(engine.address)) as direct:
        assert direct.snapshot().jobs == ()
    with of("nobody", port) as his:
        his.configure()
        his.start()
        until(lambda: his.metrics()["transmit"] == "stopped")
        found = his.metrics()
        assert (found["frames_tx"], found["frames_rx"], found["loss"]) == (PACKETS, PACKETS, 0)


@pytest.mark.long
def test_nobody_gets_past_the_door(service: tuple[Served, int]) -> None:
    """The tester's own server listens on no port, and its UNIX sockets are the service's alone."""
    served, port = service
    with of("root", port) as hers:
        hers.configure()
        (lease,) = (each for each in served.user("root").get("/v1/leases") if each["state"] == "acquired")
        assert set(sockets_of(f"TESTER_JOB=otg-{lease['id']}")).isdisjoint(listening_inodes())
        log = served.folder / "service" / "otg" / lease["id"] / "job.log"
        found = re.search(
            r"^https at (.+) \(http, too\), gRPC unix:(.+); Ctrl-C ends$", log.read_text(), re.M
        )
        assert found
        for path in found.groups():
            assert connected("nobody", path) == "PermissionError"
            assert connected("root", path) == ""
        assert hers.ask("GET", "/config")["flows"][0]["name"] == "north"


def connected(user: str, path: str) -> str:
    """How a user fails to connect to a UNIX socket."""
    command = "import os, socket, sys; os.setuid(int(sys.argv[1])); socket.socket(1).connect(sys.argv[2])"
    words = [sys.executable, "-c", command, str(pwd.getpwnam(user).pw_uid), path]
    said = subprocess.run(words, capture_output=True, text=True, check=False).stderr.splitlines()
    return said[-1].partition(":")[0] if said else ""


def sockets_of(mark: str) -> Iterator[str]:
    """The inodes of the sockets of processes that have this in their environment."""
    processes = 0
    for process in (each for each in Path("/proc").iterdir() if each.name.isdecimal()):
        with suppress(OSError):
            if mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                processes += 1
                for file in (process / "fd").iterdir():
                    if found := re.fullmatch(r"socket:\[(\d+)\]", str(file.readlink())):
                        yield found[1]
    assert processes


def listening_inodes() -> set[str]:
    """The inodes of all TCP sockets of this machine that listen."""
    tables = (Path("/proc/net", name).read_text(encoding="ascii").splitlines() for name in ("tcp", "tcp6"))
    return {words[9] for table in tables for words in map(str.split, table) if words[3] == "0A"}


@pytest.mark.long
def test_a_configuration_with_an_unknown_field_is_in_the_audit(service: tuple[Served, int]) -> None:
    served, port = service
    with of("nobody", port) as his:
        his.configure()
        before = his.ask("GET", "/config")
        refused = his.ask("POST", "/config", {"ports": [], "colour": "red"}, expect=400)
        assert refused["errors"][0].startswith("colour: ")
        assert his.ask("GET", "/config") == before
        said = "SetConfig: " + " ".join(refused["errors"][0].split())
        until(lambda: ("nobody", "otg", 400, said) in served.audit())


def test_a_user_whom_nobody_has_added_is_refused(service: tuple[Served, int]) -> None:
    served, port = service
    with of("daemon", port) as stranger:
        refused = stranger.ask("GET", "/config", expect=403)
        assert refused["kind"] == "validation"
        assert "daemon, whose process this is, may not lease testers here" in refused["errors"][0]
        assert ("daemon", "otg", 403, refused["errors"][0]) in served.audit()


@pytest.mark.long
def test_a_tester_that_cannot_be_opened_is_in_the_audit(service: tuple[Served, int]) -> None:
    """Its results have no place: a file has the name of their folder."""
    served, port = service
    (served.folder / "service" / "otg").touch()
    with of("nobody", port) as his:
        refused = his.ask("GET", "/config", expect=500)
        assert re.match("place lab: .*/service/otg'$", refused["errors"][0])
        assert ("nobody", "otg", 503) in {line[:3] for line in served.audit()}


@pytest.mark.long
def test_requests_that_are_none_of_the_protocol_are_in_the_audit(service: tuple[Served, int]) -> None:
    served, port = service
    with of("nobody", port) as his:
        said = his.ask("GET", "/nothing", expect=404)["errors"][0]
        assert said.startswith("GET /nothing: there are /")
        until(lambda: ("nobody", "otg", 404, said) in served.audit())


@pytest.mark.long
def test_a_user_who_is_removed_loses_the_tester_while_he_is_connected(service: tuple[Served, int]) -> None:
    served, port = service
    with of("nobody", port) as his:
        his.configure(frames=100_000)
        his.start()
        served.remove("nobody")
        until(lambda: served.user("root").get("/v1/places/lab")["owner"] == "")
        said = "nobody, lab: nobody may not lease testers here any more"
        until(lambda: ("the service", "end a lease", 200, said) in served.audit())
        assert served.user("root").get("/v1/leases") == []


@pytest.mark.long
def test_a_lease_that_is_ended_ends_its_client(service: tuple[Served, int], engine: EngineProcess) -> None:
    served, port = service
    root = served.user("root")
    with of("nobody", port) as his:
        his.configure(frames=100_000)
        his.start()
        taken = root.lease("lab", ttl_s=600, force=True)
        taken = root.get(f"/v1/leases/{taken['id']}?wait=60")
        assert taken["state"] == "acquired"
        with closing(EngineTarget.connect(engine.address)) as direct:
            holder = direct.leases.holder()
            assert holder is not None
            assert holder.owner == "root"


@pytest.mark.long
def test_the_command_line_serves_a_place_at_the_ports_of_the_documentation(tmp_path: Path) -> None:
    """In a network of its own, so that the ports are free; everybody of the machine is a user there."""
    serve = f"exec {sys.executable} -m TesterLibrary.commands.main serve --port 0 --otg breakpoint"
    command = ["unshare", "--net", "sh", "-c", f"ip link set lo up && {serve}"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, text=True, cwd=tmp_path, env=environment) as server:
        assert server.stdout
        try:
            said = server.stdout.readline() + server.stdout.readline()
            assert "breakpoint: Open Traffic Generator at https://127.0.0.1:8443 (http, too), gRPC" in said
            with of("nobody", 8443, "nsenter", f"--net=/proc/{server.pid}/ns/net") as his:
                his.configure()
                his.start()
                until(lambda: his.metrics()["transmit"] == "stopped")
                found = his.metrics()
                assert (found["frames_tx"], found["frames_rx"], found["loss"]) == (PACKETS, PACKETS, 0)
        finally:
            server.terminate()


@pytest.mark.long
def test_a_service_that_is_killed_ends_what_its_client_sent_when_it_is_back(
    service: tuple[Served, int], engine: EngineProcess
) -> None:
    """Not half a minute later: the client's connection is gone, and nobody comes back to its lease."""
    served, port = service
    with of("nobody", port) as his:
        his.configure(frames=100_000)
        his.start()
        served.stop(signal.SIGKILL)
    served.start()
    ended = ("the service", "end a lease", 200, "nobody, lab: the service was killed")
    until(lambda: ended in served.audit())
    with closing(EngineTarget.connect(engine.address)) as direct:
        assert direct.snapshot().jobs == ()


@pytest.mark.long
def test_a_service_that_ends_leaves_the_place_to_nobody(service: tuple[Served, int]) -> None:
    served, port = service
    with of("nobody", port) as his:
        his.configure()
        served.stop()
    served.start()
    assert served.user("root").get("/v1/leases") == []
