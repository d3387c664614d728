# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An unmodified snappi drives the engine through the kernel's devices: its scripts are in `snappi_scripts/`.

The first of them are run against a place of `tester serve`, under whose lease `tester otg` serves them.
snappi pins its runtimes narrowly, so it has an environment of its own.
"""

from __future__ import annotations

import re
import subprocess
import venv
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from TesterLibrary.running.opening import OpenTestbed
from TesterLibrary.service.otg.schema import pool
from TesterLibrary.service.otg.serving import OtgPorts, serve_otg
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.testbeds import RunningTestbed, open_testbed
from tests.contract.leased_client import TESTBED
from tests.unit.service.served import Served, until

from .defects import device_that
from .opened import opened

SCRIPTS = Path(__file__).with_name("snappi_scripts")
LOCATIONS = {"localhost:5555": "p1", "localhost:5556": "p2"}
ATTEMPTS = 3  # at a script whose tester did not do its part
PLACE = """
  bench:
    testbed: bench.yaml
    otg: {http: 0, grpc: 0, locations: {"localhost:5555": p1, "localhost:5556": p2}, idle: 1 s}
"""


@pytest.fixture(scope="session")
def snappi(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the newest snappi."""
    folder = tmp_path_factory.mktemp("snappi")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    done = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "snappi"],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        pytest.skip(f"snappi cannot be installed: {done.stderr.strip()[-300:]}")
    return python


@contextmanager
def served(bed: OpenTestbed) -> Iterator[OtgPorts]:
    with serve_otg(bed, http=0, grpc=0, locations=LOCATIONS) as ports:
        yield ports


def script(python: Path, name: str, ports: OtgPorts, transport: str, *more: str) -> str:
    """Runs a script until the tester has done its part. Returns what it printed."""
    location = f"https://127.0.0.1:{ports.http}" if transport == "http" else f"127.0.0.1:{ports.grpc}"
    command = [python, str(SCRIPTS / name), location, transport, *more]
    for _ in range(ATTEMPTS):
        done = subprocess.run(command, capture_output=True, text=True, timeout=180)
        if "not to be trusted" not in done.stderr:
            break
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("done\n")
    return done.stdout


@dataclass
class Lab:
    """A service, the only place of which is an engine that runs on its own, at a bridge of the kernel."""

    service: Served
    ports: OtgPorts  # where clients of that place are let in
    testbed: RunningTestbed

    def is_free(self) -> bool:
        """Whether nobody has the place."""
        return bool(self.service.user("admin").get("/v1/places/bench")["owner"] == "")


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Lab]:
    with open_testbed("embedded/l2-bridge") as testbed:
        engine = EngineProcess.launch(
            ports=testbed.port_specs, cpus=testbed.engine_cpus, command_prefix=testbed.command_prefix
        )
        (tmp_path / "bench.yaml").write_text(TESTBED.format(address=engine.address))
        service = Served(tmp_path, PLACE)
        for name, role in (("root", "user"), ("admin", "admin")):
            service.add(name, role)
        try:
            service.start()
            assert service.output
            found = re.search(r"https://127\.0\.0\.1:(\d+) .*:(\d+)$", service.output.readline())
            assert found
            yield Lab(service, OtgPorts(int(found[1]), int(found[2])), testbed)
        finally:
            service.close()
            engine.stop()


@pytest.mark.long
@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_the_first_script_of_a_user_in_a_lab_that_is_shared(
    shared: Lab, snappi: Path, transport: str
) -> None:
    script(snappi, "hello.py", shared.ports, transport)
    until(shared.leases.is_free)  # its process is gone, and with it the lease
    granted = [said for _, did, _, said in shared.service.audit("admin") if did == "grant"]
    assert granted == ["bench, fence 1, to root"]


def test_planted_loss_is_found_exactly_in_a_lab_that_is_shared(shared: Lab, snappi: Path) -> None:
    with device_that(shared, lose_every=10):
        script(snappi, "lossy.py", shared.ports, "http")


def test_devices_behind_a_router(tmp_path: Path, snappi: Path) -> None:
    with closing(opened("embedded/l3-router", tmp_path)) as bed, served(bed) as ports:
        script(snappi, "routed.py", ports, "grpc")


@pytest.mark.parametrize("flows", [128, pytest.param(2048, marks=pytest.mark.long)])
@pytest.mark.long
def test_two_times_so_many_flows(bed: OpenTestbed, snappi: Path, flows: int) -> None:
    """The client takes most of the time: it reads answers as YAML."""
    with served(bed) as ports:
        print(script(snappi, "many.py", ports, "http", str(flows)))


def test_the_model_is_that_of_the_client(snappi: Path) -> None:
    """A newer client may know more; what this one knows is what we know."""
    code = "import snappi.otg_pb2 as m, sys; sys.stdout.buffer.write(m.DESCRIPTOR.serialized_pb)"
    done = subprocess.run([snappi, "-c", code], capture_output=True, check=True)
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    theirs = FileDescriptorProto.FromString(done.stdout)
    ours = FileDescriptorProto()
    pool().FindFileByName("otg.proto").CopyToProto(ours)
    known = {message.name: {field.name for field in message.field} for message in theirs.message_type}
    for message in ours.message_type:
        assert {field.name for field in message.field} <= known[message.name], "run tools/otg_model.py"
