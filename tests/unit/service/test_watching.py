# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The page over HTTP: its parts, its events, and who gets neither."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from unittest.mock import Mock

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.reporting.live.feed import Feed
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.service import live
from TesterLibrary.service.watching import watched
from TesterLibrary.service.web.guard import is_own_host
from TesterLibrary.service.web.server import listen, names_of_host, url_of


@pytest.fixture
def feed() -> Feed:
    return Feed()


@pytest.fixture
def port(feed: Feed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a page whose messages come from the feed, and from no files."""
    monkeypatch.setattr(live, "Feed", lambda: feed)
    monkeypatch.setattr(live, "Follower", Mock())
    listening = listen(0)
    with watched(tmp_path, tmp_path / EVIDENCE, listening):
        yield listening.getsockname()[1]


def ask(port: int, path: str = "/", method: str = "GET", **headers: str) -> HTTPResponse:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(
        method, path, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )
    return connection.getresponse()


def events(response: HTTPResponse, count: int) -> list[tuple[str, list[dict[str, object]]]]:
    """So many events with their ids."""
    found = []
    while len(found) < count:
        lines = []
        while line := response.readline().decode().rstrip("\n"):
            lines.append(line)
        fields = dict(line.split(": ", 1) for line in lines)
        found.append((fields.get("id", fields.get("event", "")), json.loads(fields["data"])))
    return found


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/?x=1", "text/html; charset=utf-8"),
        ("/watch.js", "text/javascript; charset=utf-8"),
        ("/watch.css", "text/css; charset=utf-8"),
        ("/uPlot.js", "text/javascript; charset=utf-8"),
        ("/uPlot.css", "text/css; charset=utf-8"),
    ],
)
def test_the_page_and_its_parts_are_served(port: int, path: str, kind: str) -> None:
    response = ask(port, path)
    assert response.status == 200
    assert response.headers["Content-Type"] == kind
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert len(response.read()) > 500


def test_a_new_client_gets_everything_and_then_what_comes(port: int, feed: Feed) -> None:
    feed.add({"type": "trial", "n": 1})
    response = ask(port, "/events")
    assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    (first,) = events(response, 1)
    assert first == (f"{feed.token}-1", [{"type": "reset"}, {"type": "trial", "n": 1}])
    feed.add({"type": "trial", "n": 2})
    assert events(response, 1) == [(f"{feed.token}-2", [{"type": "trial", "n": 2}])]
    feed.close()
    assert events(response, 1) == [("end", "")]
    assert response.read() == b""


def test_a_client_that_comes_back_gets_the_rest(port: int, feed: Feed) -> None:
    feed.add({"type": "trial", "n": 1}, {"type": "trial", "n": 2})
    response = ask(port, "/events", Last_Event_ID=f"{feed.token}-1")
    assert events(response, 1) == [(f"{feed.token}-2", [{"type": "trial", "n": 2}])]


@pytest.mark.parametrize("known", ["other-1", "1", "", "-", "-1", "other-99999999999999999999", "é-1"])
def test_a_client_of_another_server_gets_everything(port: int, feed: Feed, known: str) -> None:
    response = ask(port, "/events", Last_Event_ID=known.encode("latin-1").decode("latin-1"))
    assert events(response, 1) == [(f"{feed.token}-0", [{"type": "reset"}])]


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:1", "localhost", "LOCALHOST:8080", "[::1]:99", "192.0.2.1"]
)
def test_it_is_served_by_address_and_as_localhost(port: int, host: str) -> None:
    assert ask(port, Host=host).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "localhost."]
)
@pytest.mark.parametrize("path", ["/", "/events", "/certificate.html"])
def test_a_foreign_name_that_leads_here_gets_nothing(port: int, host: str, path: str) -> None:
    response = ask(port, path, Host=host)
    assert response.status == 421
    assert response.read() == b"this page is served by address or as localhost only\n"


def test_only_named_reports_are_served(port: int, tmp_path: Path) -> None:
    (tmp_path / "certificate.html").write_text("<title>Certificate</title>")
    (tmp_path / "secret.html").write_text("secret")
    assert ask(port, "/certificate.html").read() == b"<title>Certificate</title>"
    assert ask(port, "/log.html").status == 404
    for path in ("/secret.html", "/../secret.html", "/%2e%2e/secret.html", "//etc/passwd", "/nothing"):
        assert ask(port, path).status == 404


def test_evidence_is_served_and_nothing_beside_it(port: int, tmp_path: Path) -> None:
    captures = tmp_path / "evidence" / "captures"
    captures.mkdir(parents=True)
    (captures / "a b.pcapng").write_bytes(b"frames")
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "evidence" / "link").symlink_to(tmp_path / "secret")
    found = ask(port, "/evidence/captures/a%20b.pcapng")
    assert (found.status, found.read()) == (200, b"frames")
    assert found.getheader("Content-Disposition") == "attachment"
    for path in ("../secret", "%2e%2e/secret", "captures", "link", "none", "captures/%00", "/etc/passwd"):
        assert ask(port, f"/evidence/{path}").status == 404, path


def test_the_allure_report_is_served_once_it_is_there(port: int, tmp_path: Path) -> None:
    assert ask(port, "/allure-report/index.html").status == 404
    (tmp_path / "allure-report").mkdir()
    (tmp_path / "allure-report" / "index.html").write_text("<p>Allure")
    assert ask(port, "/allure-report/index.html").read() == b"<p>Allure"
    assert ask(port, "/allure-report/other.html").status == 404


def test_nothing_can_be_changed(port: int) -> None:
    assert [ask(port, "/", method).status for method in ("POST", "PUT", "DELETE")] == [405] * 3


def test_a_client_that_does_not_read_holds_nobody_up(port: int, feed: Feed) -> None:
    with closing(socket.create_connection(("127.0.0.1", port))) as slow:
        slow.sendall(b"GET /events HTTP/1.0\r\nHost: localhost\r\n\r\n")
        for n in range(2_000):
            feed.add({"type": "trial", "n": n, "said": "x" * 5_000})  # more than any socket keeps
        response = ask(port, "/events")
        seen: list[dict[str, object]] = []
        while not seen or seen[-1].get("n") != 1_999:
            seen += events(response, 1)[0][1]
        assert len(seen) == 2_001


def test_pages_beyond_the_most_are_refused_until_one_is_closed(port: int, feed: Feed) -> None:
    opened = [ask(port, "/events") for _ in range(16)]
    for response in opened:
        events(response, 1)
    refused = ask(port, "/events")
    assert refused.status == 429
    assert refused.read() == b"16 live pages are open already; close one of them\n"
    assert ask(port, "/").status == 200
    opened.pop().close()
    while True:  # the place is free once the server notices, by sending
        feed.add({"type": "clock"})
        if (response := ask(port, "/events")).status == 200:
            break
    assert events(response, 1)


def test_a_port_in_use_is_named() -> None:
    with listen(0) as taken:
        number = taken.getsockname()[1]
        with pytest.raises(
            TesterLibraryError, match=f"port {number} of 127.0.0.1 cannot be served: .*in use"
        ):
            listen(number)


def test_an_address_of_another_machine_is_named() -> None:
    with pytest.raises(TesterLibraryError, match=r"of 192\.0\.2\.1 cannot be served: .*; give an address"):
        listen(0, "192.0.2.1")


def test_the_address_of_the_page_has_its_port() -> None:
    with listen(0) as other:
        number = other.getsockname()[1]
        assert url_of(other) == f"http://127.0.0.1:{number}/"


def test_beyond_this_machine_its_own_name_is_allowed() -> None:
    with listen(0, "0.0.0.0") as listening:
        names = names_of_host(listening)
    assert is_own_host(f"{socket.gethostname()}:80", names)
    assert not is_own_host("evil.example", names)
