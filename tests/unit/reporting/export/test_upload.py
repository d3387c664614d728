# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""An upload to a ReportPortal, with a small server in its place, and the messages where it is not taken."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from TesterLibrary.errors import TesterLibraryError
from TesterLibrary.reporting.export.upload import upload

LAUNCH = {"name": "Nightly – north", "attributes": [{"key": "version", "value": "1.0"}]}


@dataclass
class StandIn:
    """A server that answers each request the same way, and keeps what it was asked."""

    status: int = 200
    answer: bytes = b'{"data": {"id": "5", "msg": "Launch with id = 5 is successfully imported."}}'
    headers: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, Message, bytes]] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(stand_in: StandIn) -> Iterator[StandIn]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            stand_in.asked.append((self.path, self.headers, body))
            self.send_response(stand_in.status)
            for name, value in stand_in.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(stand_in.answer)

        def do_GET(self) -> None:  # a redirect that is followed asks so
            stand_in.asked.append((self.path, self.headers, b""))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        stand_in.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield stand_in
        server.shutdown()
        thread.join()


def send(url: str) -> str:
    return upload(url, "lab project", "s3cret", name="run.zip", content=b"PK\0\xff", launch=LAUNCH)


def test_file_and_launch_are_parts_of_a_form_with_the_key() -> None:
    with serving(StandIn()) as portal:
        assert send(f"{portal.url}/") == "Launch with id = 5 is successfully imported."
    ((path, headers, body),) = portal.asked
    assert path == "/api/v1/plugin/lab%20project/junit/import"
    assert headers["Authorization"] == "Bearer s3cret"
    form = message_from_bytes(f"Content-Type: {headers['Content-Type']}\r\n\r\n".encode() + body)
    file, launch = form.get_payload()
    assert (file.get_param("name", header="Content-Disposition"), file.get_filename()) == ("file", "run.zip")
    assert file.get_payload(decode=True) == b"PK\0\xff"
    assert launch.get_param("name", header="Content-Disposition") == "launchImportRq"
    assert launch.get_content_type() == "application/json"
    assert json.loads(launch.get_payload(decode=True)) == LAUNCH


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (401, b'{"message": "Full authentication is required"}', "answered 401: Full authentication is req"),
        (401, b"", "Is the key in RP_API_KEY right"),
        (403, b"", "may not import into lab project"),
        (404, b'{"message": "Project not found"}', "Project not found. Does it have the project lab project"),
        (413, b"<html>too large</html>", "takes no file of that size"),
        (500, b"x" * 5000, "answered 500: xxx"),
    ],
)
def test_a_refusal_is_said_with_what_to_do(status: int, answer: bytes, said: str) -> None:
    with serving(StandIn(status, answer)) as portal, pytest.raises(TesterLibraryError) as refused:
        send(portal.url)
    assert said in str(refused.value)
    assert "s3cret" not in str(refused.value)
    assert len(str(refused.value)) < 600


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_the_key_does_not_follow_to_another_server(status: int) -> None:
    with serving(StandIn()) as other, serving(StandIn(status, headers={"Location": other.url})) as portal:
        with pytest.raises(TesterLibraryError, match=f"It is elsewhere: {other.url}; give the address"):
            send(portal.url)
        assert other.asked == []


def test_a_server_that_is_not_there_is_said() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with pytest.raises(TesterLibraryError, match=r"junit/import cannot be reached: .*refused"):
            send(f"http://127.0.0.1:{nobody.getsockname()[1]}")


@pytest.mark.parametrize("url", ["reportportal.lab", "ftp://portal", "https://me:s3cret@portal", "http://"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(
        TesterLibraryError, match="is no address of a ReportPortal; give one such as"
    ) as refused:
        send(url)
    assert "s3cret" not in str(refused.value)
