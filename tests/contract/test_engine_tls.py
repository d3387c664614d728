# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The real engine on a TCP port of this machine: clients need a certificate."""

from __future__ import annotations

import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from ssl import TLSVersion

import pytest
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

from TesterLibrary.errors import LeaseError, PlanError, TargetError, TestbedError
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.program import find_program
from TesterLibrary.targets.parts import LeaseTerms

from .rig import Rig
from .started import started
from .test_replay import replaying

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


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return f"grpc+tls:127.0.0.1:{taken.getsockname()[1]}"


def tls_options(server: Identity, ca: Path) -> tuple[str, ...]:
    return "--tls-client-ca", str(ca), "--tls-cert", str(server.certificate), "--tls-key", str(server.key)


@contextmanager
def serving(folder: Path, server: Identity, ca: Path, *options: str) -> Iterator[str]:
    """A tester with two connected ports on a free TCP port."""
    listen = free_address()
    log = folder / f"log-{listen.rpartition(':')[2]}"
    with started(log, listen, *tls_options(server, ca), *options):
        yield listen


@pytest.fixture(scope="module")
def address(folder: Path, server: Identity, client: Identity) -> Iterator[str]:
    with serving(folder, server, client.ca) as address:
        yield address


def test_a_client_with_its_certificate_is_served(address: str, server: Identity, client: Identity) -> None:
    target = EngineTarget.connect(address, certificates=Identity(client.certificate, client.key, server.ca))
    assert [port.name for port in target.capabilities().ports] == ["p1", "p2"]
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


@pytest.mark.parametrize(
    ("version", "served"), [(ssl.TLSVersion.TLSv1_2, False), (ssl.TLSVersion.TLSv1_3, True)]
)
def test_only_tls_1_3_is_spoken(
    address: str, server: Identity, client: Identity, version: TLSVersion, served: bool
) -> None:
    context = ssl.create_default_context(cafile=str(server.ca))
    context.load_cert_chain(client.certificate, client.key)
    context.minimum_version = context.maximum_version = version
    context.set_alpn_protocols(["h2"])
    where = ("127.0.0.1", int(address.rpartition(":")[2]))
    with (
        socket.create_connection(where, timeout=10) as plain,
        nullcontext() if served else pytest.raises((ssl.SSLError, ConnectionError)),
        context.wrap_socket(plain, server_hostname="127.0.0.1") as spoken,
    ):
        assert spoken.version() == "TLSv1.3"


def test_only_clients_that_are_allowed_are_served(folder: Path, server: Identity, client: Identity) -> None:
    other = identity(folder, "other")
    both = folder / "both.pem"
    both.write_text(client.certificate.read_text() + other.certificate.read_text())
    with serving(folder, server, both, "--allow", "client") as address:
        EngineTarget.connect(
            address, certificates=Identity(client.certificate, client.key, server.ca)
        ).close()
        with pytest.raises(LeaseError, match="may not use this tester; allowed are the names") as refused:
            EngineTarget.connect(address, certificates=Identity(other.certificate, other.key, server.ca))
    assert '"other"' in str(refused.value)


def test_files_of_clients_are_below_one_folder(folder: Path, server: Identity, client: Identity) -> None:
    inside = folder / "captures"
    inside.mkdir()
    wrpcap(str(inside / "good.pcap"), [Ether() / bytes(50)])
    wrpcap(str(folder / "secret.pcap"), [Ether() / bytes(50)])
    (inside / "link.pcap").symlink_to(folder / "secret.pcap")
    certificates = Identity(client.certificate, client.key, server.ca)
    with serving(folder, server, client.ca, "--captures", str(inside)) as address:
        target = EngineTarget.connect(address, certificates=certificates)
        target.leases.acquire(LeaseTerms("alice", Duration(60 * 10**9)))
        rig = Rig(target)
        for good in ("good.pcap", str(inside / "good.pcap")):
            rig.load(replaying(rig, Path(good)))
            rig.clear()
        outside = ("../secret.pcap", "link.pcap", str(folder / "secret.pcap"), "/proc/self/environ")
        for bad in (*outside, "good.pcap\0.gz"):
            with pytest.raises(PlanError, match=f"it opens files below {inside} only"):
                rig.load(replaying(rig, Path(bad)))
        target.close()
    with serving(folder, server, client.ca) as address:
        target = EngineTarget.connect(address, certificates=certificates)
        target.leases.acquire(LeaseTerms("alice", Duration(60 * 10**9)))
        rig = Rig(target)
        with pytest.raises(PlanError, match="it was started without --captures, so it opens none"):
            rig.load(replaying(rig, inside / "good.pcap"))
        target.close()


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (("--allow", "client"), "--allow is for --listen grpc+tls; a UNIX socket has one user"),
        (("--captures", "/nowhere"), '--captures "/nowhere": No such file or directory; give a folder'),
    ],
)
def test_what_cannot_be_is_refused_at_the_start(
    tmp_path: Path, options: tuple[str, ...], refusal: str
) -> None:
    command = [str(find_program()), "--listen", f"unix:{tmp_path}/socket", "--port", "p1=loop:x", *options]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert refused.returncode == 2
    assert refusal in refused.stderr


def test_a_key_that_others_can_read_is_refused(folder: Path, server: Identity, client: Identity) -> None:
    key = folder / "open.key"
    key.write_bytes(server.key.read_bytes())
    key.chmod(0o644)
    command = [
        *(str(find_program()), "--listen", "grpc+tls:127.0.0.1:0", "--port", "p1=loop:x"),
        *("--tls-cert", str(server.certificate), "--tls-key", str(key), "--tls-client-ca", str(client.ca)),
    ]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert refused.returncode == 2
    assert f'--tls-key "{key}" can be read by others than its owner; chmod 600 {key}' in refused.stderr
