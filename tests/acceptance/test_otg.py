# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An unmodified snappi drives the engine through the kernel's devices: its scripts are in `snappi_scripts/`.

snappi pins its runtimes narrowly, so it has an environment of its own.
"""

from __future__ import annotations

import subprocess
import venv
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from TesterLibrary.running.opening import OpenTestbed
from TesterLibrary.service.otg.schema import pool
from TesterLibrary.service.otg.serving import OtgPorts, serve_otg

from .defects import device_that
from .opened import opened

SCRIPTS = Path(__file__).with_name("snappi_scripts")
LOCATIONS = {"localhost:5555": "p1", "localhost:5556": "p2"}
ATTEMPTS = 3  # at a script whose tester did not do its part


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


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_the_first_script_of_a_user(bed: OpenTestbed, snappi: Path, transport: str) -> None:
    with served(bed) as ports:
        script(snappi, "hello.py", ports, transport)


def test_planted_loss_is_found_exactly(bed: OpenTestbed, snappi: Path) -> None:
    with device_that(bed, lose_every=10), served(bed) as ports:
        script(snappi, "lossy.py", ports, "http")


def test_devices_behind_a_router(tmp_path: Path, snappi: Path) -> None:
    with closing(opened("embedded/l3-router", tmp_path)) as bed, served(bed) as ports:
        script(snappi, "routed.py", ports, "grpc")


@pytest.mark.parametrize("flows", [128, pytest.param(2048, marks=pytest.mark.long)])
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
