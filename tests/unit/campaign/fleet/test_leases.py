# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns whose testers are places of a service: each cell has a lease, and no lease is left."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from TesterLibrary.campaign.fleet import leases as leases_of_a_campaign
from TesterLibrary.campaign.fleet.fleet import FleetTester
from TesterLibrary.campaign.fleet.fleet_file import LeaseEntry
from TesterLibrary.campaign.fleet.leases import Leases
from TesterLibrary.commands import main as cli
from TesterLibrary.reporting.allure import report as allure_report

from ...commands.fleets import campaign, night, outcomes, ran
from ...service.served import Served, served

WAITS = "    Wait Until Created    {folder}/go    timeout=100 s\n    Judge    ${{OUTCOME}}"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: Served) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TESTER_TOKEN", service.tokens["alice"])
    monkeypatch.setattr(allure_report, "generate", lambda _, report, **__: report)


def leased(service: Served, *names: str) -> str:
    return "".join(
        f"  {name}: {{testbeds: [bed.yaml], lease: {{service: '{service.url}', place: {name}}}}}\n"
        for name in names
    )


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.long
def test_a_cell_waits_for_its_lease_and_what_is_taken_by_force_is_run_elsewhere(
    tmp_path: Path, service: Served
) -> None:
    file = campaign(tmp_path, leased(service, "north", "south"), suites=("a",))
    suite = tmp_path / "a.robot"
    suite.write_text(suite.read_text().replace("    Judge    ${OUTCOME}", WAITS.format(folder=tmp_path)))
    bob = service.user("bob")
    held = [bob.acquire("north"), bob.acquire("south")]
    status = []
    run = threading.Thread(target=lambda: status.append(_run_quietly(file)))
    run.start()
    until(lambda: _held_by(service, "alice"))
    assert not (tmp_path / "ran").exists()
    bob.release(held[0])
    until(lambda: (tmp_path / "ran").exists())  # on north
    service.user("root").lease("north", force=True)
    bob.release(held[1])
    until(lambda: len(ran(tmp_path)) == 2)  # on south
    (tmp_path / "go").touch()
    run.join(60)
    assert status == [0]
    assert outcomes() == ["bed.A/First PASS", "bed.A/Second PASS"]
    (again,) = [event.facts for event in night().events if event.event == "run_again"]
    assert again["tester"] == "north"
    assert "root took it by force" in again["reason"]
    assert not _held_by(service, "alice")
    for lease in _held_by(service, "root"):
        service.user("root").release(lease)


def _held_by(service: Served, user: str) -> list[dict[str, str]]:
    """The leases of a user that are not over."""
    leases = service.user("root").get("/v1/leases")
    return [lease for lease in leases if lease["owner"] == user and not lease["ended_at"]]


def _run_quietly(file: str) -> int:
    """Runs a campaign in a thread, which gets no signals."""
    from TesterLibrary.campaign import end_signals as _signals

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_signals.signal, "signal", lambda *_: None)
        return cli.main(["run", file])


def test_a_service_or_place_that_is_not_there_is_said_before_anything_is_run(
    tmp_path: Path, service: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.main(["run", campaign(tmp_path, leased(service, "west"))]) == 3
    assert f"{service.url} has no place 'west'; it has north, south" in capsys.readouterr().err
    file = campaign(tmp_path, leased(service, "north").replace(service.url, "http://127.0.0.1:9"))
    assert cli.main(["run", file]) == 3
    assert "http://127.0.0.1:9 is not reached: " in capsys.readouterr().err
    monkeypatch.delenv("TESTER_TOKEN")
    assert cli.main(["run", campaign(tmp_path, leased(service, "north"))]) == 3
    assert "answered 401: " in (said := capsys.readouterr().err)
    assert "Set TESTER_TOKEN to the token of a user" in said
    assert not Path("night").exists()
    file = campaign(tmp_path, leased(service, "north").replace("http", "ftp"))
    assert cli.main(["run", file]) == 3
    assert "testers.north.lease.service: 'ftp://127" in capsys.readouterr().err


class _Stand(BaseHTTPRequestHandler):
    """A service whose leases are as a test wants them."""

    cuts = 0  # answers that end in their middle, as if it were killed
    state = "acquired"

    def do_GET(self) -> None:
        self._answer(200, [{"name": "north"}] if self.path == "/v1/places" else self._lease())

    def do_DELETE(self) -> None:
        self._answer(200, self._lease())

    def do_POST(self) -> None:
        is_over = self.path.endswith("/heartbeat") and self.state != "acquired"
        self._answer(410 if is_over else 200, {"error": "root took it"} if is_over else self._lease())

    def _lease(self) -> dict[str, str]:
        return {"id": "1", "state": self.state, "tester": "", "reason": ""}

    def _answer(self, status: int, content: object) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "POST" and self.cuts:
            type(self).cuts -= 1
            body = body[:1]
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def stand() -> Iterator[tuple[type[_Stand], Leases]]:
    """A service, and the leases of a campaign with one tester."""
    kind = type("_Own", (_Stand,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        entry = LeaseEntry(f"http://127.0.0.1:{server.server_address[1]}", "north")
        leases = Leases([FleetTester("t1", {}, {}, {}, entry)])
        leases.want(["t1"])
        yield kind, leases
        leases.close()
        server.shutdown()


def test_an_answer_that_is_cut_off_is_asked_for_again(stand: tuple[type[_Stand], Leases]) -> None:
    """Otherwise nobody asks for the lease any more, and the campaign waits for ever."""
    service, leases = stand
    until(lambda: leases.here() == {"t1"})
    service.cuts = 1
    leases.give_back("t1")
    until(lambda: leases.here() == set())
    leases.want(["t1"])
    until(lambda: leases.here() == {"t1"})


def test_a_lease_that_ends_as_its_use_begins_is_lost(
    stand: tuple[type[_Stand], Leases], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a test is run on a tester that somebody else has."""
    monkeypatch.setattr(leases_of_a_campaign, "_TTL_S", 1)
    service, leases = stand
    until(lambda: leases.here() == {"t1"})
    service.state = "waiting"
    until(lambda: leases.here() == set())
    leases.use("t1")  # for which it was seen to be here
    until(lambda: leases.lost() == {"t1": "its lease ended as the test began"})
