# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The service over HTTP: leases, roles, refusals with their audit, and what may be sent."""

from __future__ import annotations

import base64
import http.client
import json
import socket
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from TesterLibrary.service.config import Limits

from .served import JOB, Served, User, served, until

_WISH = '{"place": "north"}'


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("service")) as service:
        yield service


@pytest.fixture
def alice(service: Served) -> Iterator[User]:
    yield from _user(service, "alice")


@pytest.fixture
def bob(service: Served) -> Iterator[User]:
    yield from _user(service, "bob")


@pytest.fixture
def root(service: Served) -> Iterator[User]:
    yield from _user(service, "root")


def _user(service: Served, name: str) -> Iterator[User]:
    user = service.user(name)
    yield user
    for lease in user.get("/v1/leases"):
        if lease["owner"] == name:
            user.release(lease)


def test_places_say_what_they_can_do_and_who_has_them(alice: User) -> None:
    lease = alice.acquire("north")
    north = alice.get("/v1/places/north")
    assert north["tags"]["speed"] == "100G"
    assert north["tags"]["tester"] == "simulated"
    assert [port["name"] for port in north["resources"]] == ["p1", "p2"]
    assert (north["fit"], north["lease"], north["owner"]) == (True, lease["id"], "alice")
    assert alice.get("/v1/places/south")["owner"] == ""


def test_who_waits_is_told_the_position_and_then_granted(alice: User, bob: User, root: User) -> None:
    first = alice.acquire("north")
    second, third = bob.lease("north"), root.lease("north")
    assert [lease["state"] for lease in (first, second, third)] == ["acquired", "waiting", "waiting"]
    assert (second["position"], third["position"]) == (1, 2)
    with ThreadPoolExecutor() as one:
        waiting = one.submit(bob.get, f"/v1/leases/{second['id']}?wait=60")
        assert alice.release(first)["state"] == "released"
        granted = waiting.result(30)
    assert granted["state"] == "acquired"
    assert granted["fence"] > first["fence"]
    assert root.get(f"/v1/leases/{third['id']}")["position"] == 1


def test_tags_choose_a_place(alice: User, bob: User) -> None:
    assert alice.acquire(tags={"speed": "10G"})["place"] == "south"
    assert bob.lease(tags={"speed": "10G"})["state"] == "waiting"
    said = alice.error("POST", "/v1/leases", 404, json={"tags": {"speed": "1T"}})
    assert said.startswith("no place has speed=1T; north: testbed=breakpoint")


def test_nobody_touches_the_lease_of_another(service: Served, alice: User, bob: User) -> None:
    lease = alice.acquire("north")
    path = f"/v1/leases/{lease['id']}"
    for method, where in (("POST", f"{path}/heartbeat"), ("POST", f"{path}/jobs"), ("DELETE", path)):
        assert f"lease {lease['id']} is that of alice" in bob.error(method, where, 403)
    assert "is that of alice" in bob.error("POST", f"{path}/allow", 403, json={"user": "bob"})
    assert "only an admin ends the lease" in bob.error("DELETE", f"{path}?force=true", 403)
    assert "only an admin takes a place" in bob.error(
        "POST", "/v1/leases", 403, json={"place": "north", "force": True}
    )
    assert alice.get(path)["state"] == "acquired"
    assert [job for job in alice.get("/v1/jobs") if job["lease"] == lease["id"]] == []
    refused = [line for line in service.audit() if line[0] == "bob" and line[2] == 403]
    assert {line[1] for line in refused} == {"POST", "DELETE"}


def test_the_owner_allows_others(alice: User, bob: User) -> None:
    lease = alice.acquire("north")
    assert alice.post(f"/v1/leases/{lease['id']}/allow", {"user": "bob"})["allowed"] == ["bob"]
    assert bob.post(f"/v1/leases/{lease['id']}/heartbeat")["state"] == "acquired"
    bob.release(lease, 403)


def test_an_admin_takes_a_place_by_force_and_the_audit_says_so(
    service: Served, alice: User, bob: User, root: User
) -> None:
    lease, waiting = alice.acquire("north"), bob.lease("north")
    taken = root.lease("north", force=True)
    assert taken["state"] == "acquired"
    said = alice.error("POST", f"/v1/leases/{lease['id']}/heartbeat", 410)
    over = f"lease {lease['id']} of alice is over: root took it by force"
    assert said == f"{over}; ask for a new one by POST /v1/leases"
    assert bob.get(f"/v1/leases/{waiting['id']}")["position"] == 1
    assert ("root", "end a lease", 200, "alice, north: root took it by force") in service.audit()
    assert root.release(waiting, query="?force=true")["reason"] == "root ended it by force"


def test_a_lease_is_over_without_heartbeats(alice: User, bob: User) -> None:
    lease = alice.lease("north", ttl_s=1)
    until(lambda: bob.get(f"/v1/leases/{lease['id']}")["state"] == "expired")
    said = alice.error("POST", f"/v1/leases/{lease['id']}/heartbeat", 410)
    assert "alice was not heard of for 1 s" in said
    assert bob.acquire("north")["state"] == "acquired"


def test_heartbeats_and_waiting_keep_it(alice: User, bob: User) -> None:
    lease, waiting = alice.lease("north", ttl_s=20), bob.lease("north", ttl_s=2)
    for _ in range(2):
        assert alice.post(f"/v1/leases/{lease['id']}/heartbeat")["expires_in_s"] > 19
        bob.get(f"/v1/leases/{waiting['id']}?wait=1.5")
    assert bob.get(f"/v1/leases/{waiting['id']}")["state"] == "waiting"


def test_a_place_that_is_out_of_use_is_given_to_nobody(alice: User, root: User) -> None:
    root.ask("PUT", "/v1/places/north/use", json={"in_use": False, "reason": "its fan is loud"})
    assert alice.lease("north")["state"] == "waiting"
    assert alice.get("/v1/places/north")["problem"] == "its fan is loud"
    alice.error("PUT", "/v1/places/north/use", 403, json={"in_use": True})
    root.ask("PUT", "/v1/places/north/use", json={"in_use": True})
    assert alice.get("/v1/places/north")["owner"] == "alice"


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"ttl_s": 0.5}, "ttl_s: 0.5 is too small; give 1 or more"),
        ({"ttl_s": 5000}, "ttl_s: 5000 is too much; give 3600 or less"),
        ({"ttl_s": "long"}, 'ttl_s: "long" is no number'),
        ({"colour": "red"}, "colour: there is no such key; allowed are place, tags, ttl_s, force"),
        ({"tags": {f"t{n}": "1" for n in range(21)}}, "tags: has too many entries; give 20 or less"),
        ({"tags": ["fast"]}, 'tags: ["fast"] is no mapping, such as {"speed": "100G"}'),
    ],
)
def test_a_wrong_wish_is_said_and_changes_nothing(alice: User, wish: dict[str, object], said: str) -> None:
    assert alice.error("POST", "/v1/leases", 422, json=wish) == said
    assert alice.get("/v1/leases") == []


def test_what_cannot_be_read_is_said(alice: User, root: User) -> None:
    headers = {"Content-Type": "application/json"}
    said = alice.error("POST", "/v1/leases", 422, data='{"place": "nor', headers=headers)
    assert said == "character 10: what was sent is no JSON: Unterminated string starting at"
    said = alice.error("POST", "/v1/leases", 422, data='{"place": "a", "place": "b"}', headers=headers)
    assert said == "body: 'place' more than once in an object; give it once"
    said = alice.error("POST", "/v1/jobs/x/resume", 422)
    assert said == "body: is missing; give JSON (Content-Type: application/json) with lease"
    assert alice.error("GET", "/v1/jobs?limit=many", 422) == 'limit: "many" is no whole number'
    said = alice.error("GET", "/v1/leases/x?wiat=5", 422)
    assert said == "?wiat: /v1/leases/{lease} has no such parameter; allowed are wait"
    said = alice.error("GET", "/v1/places?fit=true", 422)
    assert said == "?fit: /v1/places has no such parameter; none is allowed"
    said = alice.error("GET", "/v1/jobs?limit=1&limit=2", 422)
    assert said == "?limit: is given 2 times; give it once"
    assert root.get("/v1/audit?limit=1")[0]["said"] == said, "the newest line is the first one"


def test_a_lease_is_not_shared_with_nobody(alice: User) -> None:
    lease = alice.acquire("north")
    said = alice.error("POST", f"/v1/leases/{lease['id']}/allow", 422, json={"user": "bobby"})
    assert said == "user: there is no user 'bobby' here, so nobody could use it; give one's name"
    assert alice.get(f"/v1/leases/{lease['id']}")["allowed"] == []


def test_a_browser_finds_its_way(service: Served, alice: User, root: User) -> None:
    alice.acquire("north")
    root.ask("PUT", "/v1/places/south/use", json={"in_use": False, "reason": "<b>loud"})
    answer = requests.get(service.url, auth=("x", service.tokens["alice"]), timeout=30)
    root.ask("PUT", "/v1/places/south/use", json={"in_use": True})
    assert answer.headers["Content-Type"].startswith("text/html")
    assert 'href="/openapi.json"' in answer.text
    assert "<td>&lt;b&gt;loud<td>free" in answer.text
    assert "<td>fit<td>alice" in answer.text


def test_what_is_not_there_is_said(alice: User) -> None:
    assert "there is no place 'west'; there are north, south" in alice.error("GET", "/v1/places/west", 404)
    assert "there is no place 'west'" in alice.error("POST", "/v1/leases", 404, json={"place": "west"})
    assert "there is no lease 'x'" in alice.error("GET", "/v1/leases/x", 404)
    assert "there is no job 'x'" in alice.error("GET", "/v1/jobs/x", 404)
    assert "Not Found: GET /nothing" in alice.error("GET", "/nothing", 404)
    assert "Method Not Allowed" in alice.error("DELETE", "/v1/places", 405)


def test_roles(service: Served, alice: User) -> None:
    looker = service.user("looker")
    assert looker.get("/v1/me") == {"name": "looker", "role": "reader"}
    looker.get("/v1/places")
    said = looker.error("POST", "/v1/leases", 403, json={"place": "north"})
    assert said == "looker is a reader; this needs the role user"
    assert alice.error("GET", "/v1/audit", 403) == "alice is a user; this needs the role admin"
    assert ("looker", "POST", 403, "looker is a reader; this needs the role user") in service.audit()


def test_who_is_not_known_is_refused(service: Served, alice: User) -> None:
    service.add("late", days=1e-9)
    until(lambda: User(service.url, service.tokens["late"]).error("GET", "/v1/me", 401) != _UNKNOWN)
    late = User(service.url, service.tokens["late"])
    assert late.error("GET", "/v1/me", 401).startswith("the token of late is over; ask the owner of the lab")
    assert User(service.url, "tester-guess").error("GET", "/v1/me", 401) == _UNKNOWN
    assert User(service.url).error("POST", "/v1/leases", 401, json={}).startswith("say who you are")
    assert User(service.url).get("/v1/health") == {"status": "ok", "problem": ""}
    assert alice.get("/v1/leases") == []
    unknown = [line for line in service.audit() if line[2] == 401]
    assert {line[0] for line in unknown} == {""}
    assert not any("tester-guess" in line[3] for line in unknown)


_UNKNOWN = "nobody has this token; ask the owner of the lab for a new one"


def test_a_browser_may_look_by_password_and_change_nothing(service: Served) -> None:
    password = base64.b64encode(f"x:{service.tokens['alice']}".encode()).decode()
    browser = User(service.url)
    assert browser.get("/v1/me", headers={"Authorization": f"Basic {password}"})["name"] == "alice"
    browser.error("POST", "/v1/leases", 401, json={}, headers={"Authorization": f"Basic {password}"})


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("Host", "evil.example.net", "this service is not 'evil.example.net'"),
        ("Origin", "http://evil.example.net", "a page of 'http://evil.example.net' may not use this"),
        ("Origin", "null", "a page of 'null' may not use this"),
    ],
)
def test_other_peoples_pages_reach_nothing(alice: User, name: str, value: str, said: str) -> None:
    refused = alice.error("POST", "/v1/leases", 421, data=_WISH, headers={name: value})
    assert refused.startswith(said)
    assert alice.get("/v1/leases") == []


def connected(user: User) -> http.client.HTTPConnection:
    parts = urlsplit(user.url)
    return http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=90)


def test_a_body_of_a_gigabyte_is_refused_before_it_is_read(service: Served, alice: User) -> None:
    lease = alice.acquire("north")
    connection = connected(alice)
    connection.putrequest("POST", f"/v1/leases/{lease['id']}/jobs")
    connection.putheader("Authorization", f"Bearer {alice.token}")
    connection.putheader("Content-Length", str(1 << 30))
    connection.endheaders()
    answer = connection.getresponse()
    assert answer.status == 413
    assert b"1073741824 bytes; a request has at most 1000000 bytes here" in answer.read()
    assert alice.get("/v1/jobs") == []
    assert any(line[:3] == ("alice", "POST", 413) for line in service.audit())


def test_a_body_without_a_length_is_read_so_far_only(alice: User) -> None:
    lease = alice.acquire("north")
    for path in (f"/v1/leases/{lease['id']}/jobs", "/v1/leases"):
        connection = connected(alice)
        connection.putrequest("POST", path)
        connection.putheader("Authorization", f"Bearer {alice.token}")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        with pytest.raises((ConnectionError, socket.timeout)):  # noqa: PT012 - whichever chunk it is
            for _ in range(1 << 14):
                connection.send(b"10000\r\n" + bytes(1 << 16) + b"\r\n")
        connection.close()
    assert alice.get("/v1/jobs") == []


def test_metrics_are_openmetrics(alice: User) -> None:
    alice.acquire("north")
    lines = alice.get("/metrics").splitlines()
    assert lines[-1] == "# EOF"
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert values['tester_leases{state="acquired"}'] == "1"
    assert values['tester_place_used{place="north"}'] == "1"
    assert int(values["tester_leases_granted_total"]) >= 1
    families = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(families) == len(set(families))


def test_no_job_without_an_acquired_lease(alice: User, bob: User) -> None:
    alice.acquire("north")
    waiting = bob.lease("north")
    said = bob.error("POST", f"/v1/leases/{waiting['id']}/jobs", 409, data=JOB)
    assert f"lease {waiting['id']} is waiting, at position 1; wait until it is acquired" in said


@pytest.mark.long
def test_two_services_do_not_share_a_database(service: Served, tmp_path: Path) -> None:
    second = Served(tmp_path, database=service.database)
    with pytest.raises(AssertionError):
        second.start()
    second.close()


def test_nobody_is_two(service: Served) -> None:
    """A proxy that looks at the first token, and a service that takes the last one, would mean two users."""
    twice = "".join(f"Authorization: Bearer {service.tokens[name]}\r\n" for name in ("alice", "root"))
    status, body = _raw(service, f"GET /v1/me HTTP/1.1\r\nHost: localhost\r\n{twice}\r\n".encode())
    assert (status, body["error"]) == (400, "authorization: is given 2 times; give this header once")


def test_a_body_ends_in_one_place(service: Served) -> None:
    """A proxy that believes the length takes what is behind the chunks for the request of somebody else."""
    ends = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"
    token = f"Authorization: Bearer {service.tokens['alice']}\r\n"
    head = f"POST /v1/leases HTTP/1.1\r\nHost: localhost\r\n{token}{ends}\r\n0\r\n\r\n"
    behind = f"GET /v1/me HTTP/1.1\r\nHost: localhost\r\n{token}\r\n"
    status, body = _raw(service, f"{head}{behind}".encode(), b"\r\n")  # until it is closed
    assert (status, body["error"].partition(":")[0]) == (400, "two headers say how long the body is")


def test_a_client_that_is_still_sending_reads_its_refusal(service: Served) -> None:
    """A connection that is closed under it would be reset, and the answer lost."""
    length = Limits().body + 1
    token = f"Authorization: Bearer {service.tokens['alice']}\r\n"
    head = f"POST /v1/leases HTTP/1.1\r\nHost: localhost\r\n{token}Content-Length: {length}\r\n\r\n"
    status, body = _raw(service, head.encode() + bytes(length), b"\r\n")
    assert (status, body["status"]) == (413, 413)


def test_what_is_no_request_is_refused_and_in_the_audit(service: Served) -> None:
    """Before a request, in the middle of its body, and behind an answer that has begun."""
    before = len(service.audit())
    head = "POST /v1/leases HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    token = f"Authorization: Bearer {service.tokens['alice']}\r\n"
    for sent in ("\x16\x03\x01\r\n\r\n", f"{head}{token}\r\nno chunk\r\n"):
        status, body = _raw(service, sent.encode())
        assert (status, body["status"]) == (400, 400)
        assert body["error"].startswith("this is no request of HTTP/1.1")
    assert _raw(service, f"{head}\r\n".encode(), b"no chunk\r\n")[0] == 401
    until(lambda: len(service.audit()) == before + 5)
    lines = Counter(line[:3] for line in service.audit()[before:])
    assert lines == {("", "HTTP", 400): 3, ("alice", "POST", 400): 1, ("", "POST", 401): 1}


def _raw(service: Served, *parts: bytes) -> tuple[int, Any]:
    """The answer to what is sent piece by piece, each once there is an answer to the one before."""
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), 20) as connection:
        connection.sendall(parts[0])
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        body = json.loads(answer.read())
        for part in parts[1:]:
            connection.sendall(part)
            while connection.recv(1000):
                pass
        return answer.status, body
