# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The real engine on a TCP port of this machine: clients need a certificate."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from TesterLibrary.errors import TargetError, TestbedError
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.program import find_program

pytestmark = pytest.mark.usefixtures("engine")


@dataclass(frozen=True)
class Identity:
    """A certificate with its key, signed by itself, so that it is its own authority."""

    certificate: Path
    key: Path
    ca: Path


def identity(folder: Path, name: str) -> Identity:
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    words = f"-x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={name} -addext subjectAltName=IP:127.0.0.1"
    command = ["openssl", "req", *words.split(), "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    return Identity(certificate, key, certificate)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def client(folder: Path) -> Identity:
    return identity(folder, "client")


@pytest.fixture(scope="module")
def server(folder: Path) -> Identity:
    return identity(folder, "server")


@pytest.fixture(scope="module")
def address(folder: Path, server: Identity, client: Identity) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    command = [
        *(str(find_program()), "--listen", f"grpc+tls:127.0.0.1:{port}", "--exit-with-parent"),
        *("--port", "p1=loop:tls", "--tls-cert", str(server.certificate), "--tls-key", str(server.key)),
        *("--tls-client-ca", str(client.ca)),
    ]
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True) as engine,
    ):
        deadline = time.monotonic() + 30
        while b"ready" not in (folder / "log").read_bytes():
            assert engine.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield f"grpc+tls:127.0.0.1:{port}"
        engine.terminate()


def test_a_client_with_its_certificate_is_served(address: str, server: Identity, client: Identity) -> None:
    target = EngineTarget.connect(address, certificates=Identity(client.certificate, client.key, server.ca))
    assert [port.name for port in target.capabilities().ports] == ["p1"]
    target.close()


def test_a_client_with_another_certificate_is_not(address: str, server: Identity, folder: Path) -> None:
    stranger = identity(folder, "stranger")
    with pytest.raises(TargetError, match=f"no tester answers at {address.replace('+', '.')}") as refused:
        EngineTarget.connect(address, certificates=Identity(stranger.certificate, stranger.key, server.ca))
    assert "it wants a client certificate that its --tls-client-ca has signed" in str(refused.value)
    assert "certificate and key" in str(refused.value)
    assert "tester: certificates" in str(refused.value)


def test_an_engine_with_another_certificate_is_not_trusted(address: str, client: Identity) -> None:
    with pytest.raises(TargetError, match="no tester answers"):
        EngineTarget.connect(address, certificates=client)


def test_a_certificate_that_cannot_be_read_is_named(address: str, client: Identity, folder: Path) -> None:
    with pytest.raises(TestbedError, match=f"cannot read the certificate {folder}/nothing: No such file"):
        EngineTarget.connect(
            address, certificates=Identity(client.certificate, client.key, folder / "nothing")
        )
