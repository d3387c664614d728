# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Who may use the service: certificates, users of the command line, and what is not served at all."""

from __future__ import annotations

import asyncio
import getpass
import json
import os
import socket
import sqlite3
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import requests

from TesterLibrary.commands.main import main
from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.reporting.trend.address import Address
from TesterLibrary.service.config import shipped_places
from TesterLibrary.service.door import Door
from TesterLibrary.service.ledger import Caller, Ledger
from TesterLibrary.service.store import KIND, Store
from TesterLibrary.service.user import Role
from TesterLibrary.service.web.connections import Connections

from .served import JOB, PLACES, Served, User, until


@pytest.fixture(autouse=True)
def mask() -> Iterator[None]:
    """`serve` sets the mask of files of its process, which is that of the tests here."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def identity(folder: Path, name: str) -> tuple[Path, Path]:
    """A certificate with its key, signed by itself, so that it is its own authority."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    words = f"-x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={name} -addext subjectAltName=IP:127.0.0.1"
    command = ["openssl", "req", *words.split(), "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    key.chmod(0o600)
    return certificate, key


def test_certificates_say_who_somebody_is(tmp_path: Path) -> None:
    for name in ("server", "alice", "mallory"):
        identity(tmp_path, name)
    (tmp_path / "users.pem").write_text(
        (tmp_path / "alice.pem").read_text() + (tmp_path / "mallory.pem").read_text()
    )
    more = (
        "tls: {certificate: server.pem, key: server.key, client_ca: users.pem}\ncertificates: {alice: user}\n"
    )
    service = Served(tmp_path, PLACES, more=more)
    service.add("root", "admin")
    try:
        service.start()
        assert service.url.startswith("https://127.0.0.1:")
        trusted = {"verify": str(tmp_path / "server.pem")}

        def with_certificate(name: str) -> User:
            return User(
                service.url, cert=(str(tmp_path / f"{name}.pem"), str(tmp_path / f"{name}.key")), **trusted
            )

        alice = with_certificate("alice")
        assert alice.get("/v1/me") == {"name": "alice", "role": "user"}
        assert alice.acquire("north")["owner"] == "alice"
        said = with_certificate("mallory").error("GET", "/v1/me", 403)
        assert said == "the certificate is of mallory, who has no role here (certificates:)"
        forwarded = {"X-Forwarded-For": "10.0.0.1", "Forwarded": "for=10.0.0.1"}
        assert (
            User(service.url, **trusted).error("GET", "/v1/me", 401, headers=forwarded).startswith("say who")
        )
        root = User(service.url, service.tokens["root"], **trusted)
        lines = root.get("/v1/audit?after=0")
        assert [line["status"] for line in lines if line["status"] >= 400] == [403, 401]
        assert not any("10.0.0.1" in line["client"] for line in lines)
        _speaks_nothing_older(service.url)
    finally:
        service.close()


def _speaks_nothing_older(url: str) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    port = int(url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as plain, pytest.raises(ssl.SSLError):
        context.wrap_socket(plain)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["serve", *map(str, arguments)]) == 3
    return capsys.readouterr().err


def lab(tmp_path: Path, more: str) -> Path:
    file = tmp_path / "lab.yaml"
    file.write_text(f"version: 1\nfolder: {tmp_path}/service\n{more}\nplaces:{PLACES}")
    return file


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            "listen: 0.0.0.0:0",
            "listen: 0.0.0.0 is reached from other machines, which needs tls: certificate and",
        ),
        (
            "listen: 0.0.0.0:0\ntls: {certificate: server.pem, key: server.key}",
            "everybody there would be an admin; give tls: client_ca with certificates, or add a user by",
        ),
        (
            "listen: lab:1",
            "lab.yaml:3: listen: 'lab:1' is not allowed; give an address of this machine and a port",
        ),
        ("listen: 127.0.0.1:99999", "lab.yaml:3: listen: 99999 is no port; give 0 to 65535"),
        ("tls: {certificate: no.pem, key: server.key}", "lab.yaml:3: tls.certificate: there is no file"),
        (
            "tls: {certificate: server.pem, key: open.key}",
            "has mode 644, so others can read the key; chmod 600 it",
        ),
        ("tls: {certificate: server.key, key: server.key}", "tls: the certificate or its key cannot be used"),
        ("limits: {lease: 2 h}", "lab.yaml:3: limits.lease: '2 h' is not allowed; give 1 s to 1 h"),
        ("suites: [nowhere]", "lab.yaml:3: suites[0]: there is no folder"),
        ("database: mysql://x/y", "the database of the service is a SQLite file or postgresql://USER@HOST"),
        ("colour: red", "lab.yaml:3: colour: there is no such key"),
    ],
)
def test_what_cannot_be_served_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: str, said: str
) -> None:
    identity(tmp_path, "server")
    (tmp_path / "open.key").write_text((tmp_path / "server.key").read_text())
    (tmp_path / "open.key").chmod(0o644)
    assert said in refused(capsys, lab(tmp_path, more))


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("{testbed: nowhere}", "places.p.testbed: there is no testbed 'nowhere'"),
        (
            "{testbed: embedded/loopback, check: cable}",
            "check: cable and cables: [[p3, p4]] go together; give both",
        ),
        (
            "{testbed: embedded/loopback, check: cable, cables: [[p1, p9]]}",
            "the testbed has no port 'p9'; it has p1",
        ),
        ("{tags: {a: b}}", "places.p.testbed: is missing; give the name or the file of a testbed"),
    ],
)
def test_a_wrong_place_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str, said: str
) -> None:
    (tmp_path / "lab.yaml").write_text(f"version: 1\nfolder: {tmp_path}\nplaces:\n  p: {place}\n")
    assert said in refused(capsys, tmp_path / "lab.yaml")


@pytest.mark.parametrize("is_owner", [True, False])
def test_without_users_only_who_runs_the_service_is_an_admin(tmp_path: Path, is_owner: bool) -> None:
    """Not each account of the machine: those may have no right to anything else of it."""
    connections, client = Connections(), ("127.0.0.1", 1)
    connections.uids[client] = os.geteuid() if is_owner else 65_533
    callers: list[Caller] = []
    sent: list[Any] = []

    async def app(scope: Any, *_: Any) -> None:
        callers.append(scope["state"]["caller"])

    async def send(message: Any) -> None:
        sent.append(message)

    async def asked() -> list[tuple[str, int]]:
        ledger = Ledger(Store(Address.parse(tmp_path / "service.sqlite", KIND)))
        door = Door(app, shipped_places(), ledger, connections)
        host = (b"host", b"localhost")
        scope = {"type": "http", "method": "GET", "path": "/v1/me", "headers": [host], "client": client}
        await door(scope, lambda: asyncio.sleep(0, {}), send)
        lines = await ledger.ask(lambda store: store.audit(0, 10))
        ledger.close()
        return [(line.did, line.status) for line in lines]

    lines = asyncio.run(asked())
    assert [(caller.name, caller.role) for caller in callers] == [("local", Role.ADMIN)] * is_owner
    assert lines == ([] if is_owner else [("GET", 403)])
    if not is_owner:
        said = json.loads(sent[1]["body"])["error"]
        assert "user 65533, whose process this is, may not use this service: it has no users" in said
        assert f"only {getpass.getuser()}, who runs it, and root may" in said


def test_users_are_added_and_removed_while_it_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service = Served(tmp_path)
    try:
        service.start()
        open_to_all = User(service.url)
        assert open_to_all.get("/v1/me") == {"name": "local", "role": "admin"}
        assert (
            main(["serve", str(service.file), "--add-user", "alice", "--role", "reader", "--days", "7"]) == 0
        )
        token = capsys.readouterr().out.strip()
        until(lambda: requests.get(f"{service.url}/v1/me", timeout=30).status_code == 401)
        assert User(service.url, token).get("/v1/me") == {"name": "alice", "role": "reader"}
        assert main(["serve", str(service.file), "--users"]) == 0
        assert capsys.readouterr().out.startswith("alice                reader  good until 20")
        said = refused(capsys, service.file, "--add-user", "alice", "--role", "admin")
        assert "alice: is reader already, by a token that would stay good; --remove-user alice first" in said
        assert main(["serve", str(service.file), "--add-user", "alice", "--role", "reader"]) == 0
        assert "alice has 2 tokens now, which are all good" in capsys.readouterr().err
        assert main(["serve", str(service.file), "--remove-user", "alice"]) == 0
        until(lambda: requests.get(f"{service.url}/v1/me", timeout=30).status_code == 200)
        assert "there is no such user; nobody has a token" in refused(
            capsys, service.file, "--remove-user", "alice"
        )
        assert "give 1 to 64 letters" in refused(capsys, service.file, "--add-user", "a b")
        assert "give a number above 0" in refused(capsys, service.file, "--add-user", "a", "--days", "0")
        lines = open_to_all.get("/v1/audit?after=0")
        did = [(line["who"] != "", line["did"], line["subject"]) for line in lines]
        assert did[0] == (True, "add a user", "alice")
        assert (True, "remove a user", "alice") in did
    finally:
        service.close()
    for file in (tmp_path / "service").glob("service.sqlite*"):
        assert token.encode() not in file.read_bytes()
        if file.name == "service.sqlite":
            assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("over", ["removed", "expired"])
def test_who_is_no_user_any_more_has_no_tester(tmp_path: Path, over: str) -> None:
    """Neither for the time of his lease, nor for as long as a job keeps it."""
    service = Served(tmp_path)
    service.add("root", "admin")
    service.start()
    with closing(service):
        service.add("alice", days=None if over == "removed" else 10 / 86400)
        alice, root = service.user("alice"), service.user("root")
        token = {"Authorization": f"Bearer {alice.token}"}
        until(lambda: requests.get(f"{service.url}/v1/me", headers=token, timeout=30).status_code == 200)
        lease = alice.acquire("north", ttl_s=3600)
        long = JOB.replace("duration: 1 s", "duration: 100 s")
        job = alice.submit(lease, long, query="?keeps_lease=true") if over == "removed" else None
        if over == "removed":
            service.remove("alice")
        until(lambda: root.get(f"/v1/leases/{lease['id']}")["state"] == "taken")
        said = root.get(f"/v1/leases/{lease['id']}")["reason"]
        assert said == "alice may not lease testers here any more"
        assert job is None or root.get(f"/v1/jobs/{job['id']}")["state"] == "lease ended"


def test_the_audit_is_only_added_to(tmp_path: Path) -> None:
    store = Store(Address.parse(tmp_path / "service.sqlite", KIND))
    store.write([], [])
    store.close()
    with sqlite3.connect(tmp_path / "service.sqlite") as tables:
        tables.execute("insert into audit values (1, 'now', 'a', 'user', '', 'x', '', 200, '')")
        for statement in ("delete from audit", "update audit set who = 'b'"):
            with pytest.raises(sqlite3.IntegrityError, match="the audit is append-only"):
                tables.execute(statement)


def test_two_services_have_no_database_together_by_whichever_name(tmp_path: Path) -> None:
    file, link = tmp_path / "service.sqlite", tmp_path / "link.sqlite"
    link.symlink_to(file)
    first = Store(Address.parse(file, KIND))
    with closing(first), pytest.raises(TesterLibraryError, match="another tester serve uses"):
        Store(Address.parse(link, KIND))


def test_a_foreign_database_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "service").mkdir()
    with sqlite3.connect(tmp_path / "service" / "service.sqlite") as tables:
        tables.execute("create table mine (a integer)")
    assert "is no database of tester serve that this version reads" in refused(capsys, lab(tmp_path, ""))
