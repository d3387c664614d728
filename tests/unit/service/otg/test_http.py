# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The wire: HTTP, HTTPS and gRPC give the same answers, and none of them breaks."""

from __future__ import annotations

import http.client
import json
import math
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import grpc
import pytest

from TesterLibrary.service.otg.certificate import fresh_context
from TesterLibrary.service.otg.http import HttpServer
from TesterLibrary.service.otg.json_text import parsed
from TesterLibrary.service.otg.refusal import OtgForbidden
from TesterLibrary.service.otg.rpc import GrpcServer
from TesterLibrary.service.otg.schema import message_class, service
from TesterLibrary.service.otg.serving import Refusing

from ..served import until
from .bench import Bench
from .configs import config, flow

HOST = "127.0.0.1"
_PATIENCE_S = 60  # with a server whose machine is busy

FOREIGN = b"\x98\x06\x01"  # field 99, a number


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def port(bench: Bench) -> Iterator[int]:
    server = HttpServer(bench.generator, HOST, 0, fresh_context(HOST))
    yield server.port
    server.close()


@pytest.fixture
def channel(bench: Bench) -> Iterator[grpc.Channel]:
    server = GrpcServer(bench.generator, HOST, 0)
    with grpc.insecure_channel(f"{HOST}:{server.port}") as channel:
        yield channel
    server.close()


def connection(port: int, *, tls: bool) -> http.client.HTTPConnection:
    if not tls:
        return http.client.HTTPConnection(HOST, port, timeout=_PATIENCE_S)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return http.client.HTTPSConnection(HOST, port, timeout=_PATIENCE_S, context=context)


def asked(
    client: http.client.HTTPConnection, method: str, path: str, body: Any = None, **headers: str
) -> Any:
    client.request(method, path, body if body is None else json.dumps(body), headers)
    answer = client.getresponse()
    return answer.status, json.loads(answer.read())


@pytest.mark.parametrize("tls", [False, True])
def test_one_port_speaks_http_and_https(port: int, tls: bool) -> None:
    client = connection(port, tls=tls)
    assert asked(client, "POST", "/config", config(flow())) == (200, {"warnings": []})
    status, found = asked(client, "GET", "/config")
    assert (status, found["flows"][0]["name"]) == (200, "f")
    assert asked(client, "GET", "/capabilities/version")[0] == 200
    status, refused = asked(client, "POST", "/config", {"flows": [{"nme": 1}], "lags": 3})
    assert (status, refused["code"], refused["kind"], len(refused["errors"])) == (400, 400, "validation", 2)
    assert asked(client, "GET", "/config")[1] == found


@pytest.mark.parametrize(
    ("method", "path", "headers", "status", "said"),
    [
        ("GET", "/nothing", {}, 404, "/monitor/metrics"),
        ("DELETE", "/config", {}, 405, "it takes GET, PATCH, POST"),
        ("POST", "/config", {"Content-Length": str(1 << 30)}, 413, "at most"),
        ("POST", "/config", {"Content-Length": "9" * 5000}, 400, "no request of HTTP/1.1"),
        ("POST", "/config", {"Content-Length": "-1"}, 400, "no request of HTTP/1.1"),
        ("POST", "/config", {"Origin": "https://elsewhere.example"}, 403, "browsers"),
        ("GET", "/config", {"Host": "elsewhere.example"}, 421, "by its address, or as localhost"),
        ("TRACE", "/config", {}, 405, "it takes GET, PATCH, POST"),
    ],
)
def test_requests_that_are_refused(
    bench: Bench, port: int, method: str, path: str, headers: dict[str, str], status: int, said: str
) -> None:
    client = connection(port, tls=False)
    client.putrequest(method, path, skip_host=True)
    for name, value in {"Host": f"localhost:{port}", "Content-Length": "0", **headers}.items():
        client.putheader(name, value)
    client.endheaders()
    answer = client.getresponse()
    assert answer.status == status
    error = json.loads(answer.read())["errors"][0]
    assert said in error
    until(lambda: bench.told)
    assert bench.told == [f"refused {status}: {error}"]
    assert asked(connection(port, tls=False), "GET", "/config")[0] == 200


def test_what_is_no_http_harms_nobody(port: int) -> None:
    for noise in (b"", b"\x16\x03\x01garbage", b"\0\xff" * 100, b"GET"):
        with socket.create_connection((HOST, port), timeout=_PATIENCE_S) as client:
            client.sendall(noise)
    assert asked(connection(port, tls=False), "GET", "/config")[0] == 200


@pytest.mark.parametrize(
    "begun", [b"", b"\x16", b"POST /config HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{"]
)
def test_who_is_silent_keeps_nobody_out(bench: Bench, monkeypatch: pytest.MonkeyPatch, begun: bytes) -> None:
    """Before a request, in the handshake of TLS, and within a body."""
    monkeypatch.setattr("TesterLibrary.service.otg.http._MOST_CLIENTS", 8)
    with ExitStack() as opened:
        server = opened.enter_context(closing(HttpServer(bench.generator, HOST, 0, fresh_context(HOST))))
        port, silent = server.port, []
        for number in range(8):
            silent.append(opened.enter_context(socket.create_connection((HOST, port), timeout=_PATIENCE_S)))
            silent[-1].sendall(begun)
            until(lambda: len(server._connections._open) > number)  # noqa: B023 - called at once
        assert asked(connection(port, tls=False), "GET", "/config")[0] == 200
        assert silent[0].recv(1) == b""
        silent[-1].settimeout(0.1)
        with pytest.raises(TimeoutError):
            silent[-1].recv(1)


@pytest.mark.parametrize("begin", [b"GET /\x1b[2J\xe9", b"GET /\x1b[2J\x85 \xe9", b"\x1b \xe9 "])
def test_what_is_said_of_a_refusal_is_one_line_of_plain_text(bench: Bench, port: int, begin: bytes) -> None:
    """The service writes such lines into its audit."""
    with socket.create_connection((HOST, port), timeout=_PATIENCE_S) as client:
        client.sendall(begin + b"x" * 9000 + b" HTTP/1.1\r\nConnection: close\r\n\r\n")
        while client.recv(1 << 16):
            pass
    until(lambda: bench.told)  # it is noted beside the answer
    (said,) = bench.told
    assert said.isprintable()
    assert len(said) < 600


def test_a_user_who_may_not_is_told_so_over_grpc() -> None:
    refusing = Refusing()
    refusing.refusal = OtgForbidden(["daemon may not"])
    server = GrpcServer(refusing, HOST, 0)
    with grpc.insecure_channel(f"{HOST}:{server.port}") as channel, pytest.raises(grpc.RpcError) as caught:
        _call(channel, "GetConfig")
    server.close()
    assert caught.value.code() is grpc.StatusCode.PERMISSION_DENIED
    assert json.loads(caught.value.details())["errors"] == ["daemon may not"]


def test_a_unix_socket_in_place_of_a_port(bench: Bench, tmp_path: Path) -> None:
    """As the service has it, whose users are not to get past its door."""
    path = tmp_path / "http"
    server, remote = (
        HttpServer(bench.generator, HOST, path, None),
        GrpcServer(bench.generator, HOST, tmp_path / "grpc"),
    )
    assert (server.port, remote.port) == (0, 0)
    client = connection(0, tls=False)
    client.sock = socket.socket(socket.AF_UNIX)
    client.sock.connect(str(path))
    assert asked(client, "POST", "/config", config(flow())) == (200, {"warnings": []})
    with grpc.insecure_channel(f"unix:{tmp_path}/grpc") as channel:
        assert _call(channel, "GetConfig").config.flows[0].name == "f"
    client.close()
    server.close()
    remote.close()
    assert not path.exists()


def _call(channel: grpc.Channel, name: str, request: bytes = b"") -> Any:
    method = service().methods_by_name[name]
    kind = message_class(method.output_type.name)
    return channel.unary_unary(f"/otg.Openapi/{name}", response_deserializer=kind.FromString)(request)


def test_grpc_gives_the_same_answers(channel: grpc.Channel) -> None:
    request = message_class("SetConfigRequest")()
    request.config.CopyFrom(parsed("Config", json.dumps(config(flow())).encode()))
    assert _call(channel, "SetConfig", request.SerializeToString()).HasField("warning")
    assert _call(channel, "GetConfig").config == request.config
    assert _call(channel, "GetVersion").version.api_spec_version
    request.config.flows[0].size.fixed = 3
    request.config.flows[0].rate.pps = 0
    with pytest.raises(grpc.RpcError) as caught:
        _call(channel, "SetConfig", request.SerializeToString())
    error = json.loads(caught.value.details())
    assert (caught.value.code(), error["kind"]) == (grpc.StatusCode.INVALID_ARGUMENT, "validation")
    assert [each.partition(":")[0] for each in error["errors"]] == ["flows[0].size", "flows[0].rate"]


def test_a_long_list_of_errors_fits_into_a_trailer(channel: grpc.Channel) -> None:
    request = message_class("SetConfigRequest")()
    wrong = config(*(flow(f"f{number}", size={"choice": "fixed", "fixed": 1}) for number in range(500)))
    request.config.CopyFrom(parsed("Config", json.dumps(wrong).encode()))
    with pytest.raises(grpc.RpcError) as caught:
        _call(channel, "SetConfig", request.SerializeToString())
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert json.loads(caught.value.details())["errors"][-1].endswith("more")


def test_messages_come_and_go_in_pieces(channel: grpc.Channel) -> None:
    whole = parsed("Config", json.dumps(config(flow())).encode()).SerializeToString()
    data = message_class("Data")
    pieces = [data(datum=whole[begin : begin + 50], chunk_size=50) for begin in range(0, len(whole), 50)]
    send = channel.stream_unary("/otg.Openapi/streamSetConfig", request_serializer=data.SerializeToString)
    send(iter(pieces))
    read = channel.unary_stream("/otg.Openapi/streamGetConfig", response_deserializer=data.FromString)
    assert b"".join(piece.datum for piece in read(b"")) == whole
    with pytest.raises(grpc.RpcError) as caught:
        send(iter([data(datum=b"\xff\xff\xff")]))
    assert "no Config" in json.loads(caught.value.details())["errors"][0]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("SetConfig", "field number 99 is not in this version"),
        ("GetMetrics", "field number 99 is not in this version"),
        ("GetConfig", "the request of this call has no fields"),
    ],
)
def test_fields_around_a_message_are_refused(channel: grpc.Channel, name: str, said: str) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        _call(channel, name, FOREIGN)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert said in json.loads(caught.value.details())["errors"][0]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused(channel: grpc.Channel, number: float) -> None:
    """JSON has none of these; gRPC has, and they were exceptions."""
    request = message_class("SetConfigRequest")()
    request.config.CopyFrom(parsed("Config", json.dumps(config(flow())).encode()))
    request.config.flows[0].rate.percentage = number
    with pytest.raises(grpc.RpcError) as caught:
        _call(channel, "SetConfig", request.SerializeToString())
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert f"flows[0].rate.percentage: {number} is no number" in caught.value.details()
