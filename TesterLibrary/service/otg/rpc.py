# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The calls of the model over gRPC, and their variants that stream a message in pieces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError

from ...errors import TesterLibraryError
from .control import Answer, Answering
from .refusal import Findings, OtgError
from .schema import Message, message_class, service
from .support import check_fields

_MOST_BODY = 64 << 20  # bytes
_CLIENTS = 16  # calls at once; others wait
_PIECE = 1 << 20  # bytes of a message that is streamed
_MOST_DETAILS = 6000  # characters: a trailer of HTTP/2 has room for 8 KiB
_STREAMED = "stream"  # begins the names of such calls
_STATUS = {
    400: grpc.StatusCode.INVALID_ARGUMENT,
    403: grpc.StatusCode.PERMISSION_DENIED,
    500: grpc.StatusCode.INTERNAL,
}


class GrpcServer:
    """Serves a traffic generator until it is closed."""

    def __init__(self, generator: Answering, address: str, port: int | Path) -> None:
        """`port`: of the address, or a UNIX socket in its place."""
        limits = [
            ("grpc.max_receive_message_length", _MOST_BODY),
            ("grpc.max_send_message_length", _MOST_BODY),
        ]
        self._server = grpc.server(ThreadPoolExecutor(_CLIENTS, thread_name_prefix="otg"), options=limits)
        handlers = {method.name: _handler(generator, method) for method in service().methods}
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(service().full_name, handlers),)
        )
        where = f"unix:{port}" if isinstance(port, Path) else f"{address}:{port}"
        try:
            bound = self._server.add_insecure_port(where)
        except RuntimeError as problem:
            raise TesterLibraryError(f"{where} cannot be had for gRPC: {problem}") from None
        self.port = 0 if isinstance(port, Path) else bound  # 0: a UNIX socket
        self._server.start()

    def close(self) -> None:
        """Ends it."""
        self._server.stop(grace=1).wait()


def _handler(generator: Answering, method: MethodDescriptor) -> grpc.RpcMethodHandler[Any, Any]:
    name = method.name.removeprefix(_STREAMED)
    kind = generator.calls[name].request
    response = message_class(method.output_type.name)
    if method.client_streaming:
        return grpc.stream_unary_rpc_method_handler(
            lambda pieces, context: _wrapped(
                response, _answered(generator, name, context, _joined(kind, pieces))
            ),
            request_deserializer=message_class(method.input_type.name).FromString,
            response_serializer=response.SerializeToString,
        )
    request = (
        _empty if method.input_type.name == "Empty" else message_class(method.input_type.name).FromString
    )
    if method.server_streaming:
        return grpc.unary_stream_rpc_method_handler(
            lambda message, context: _pieces(_answered(generator, name, context, _unwrapped(kind, message))),
            request_deserializer=request,
            response_serializer=response.SerializeToString,
        )
    return grpc.unary_unary_rpc_method_handler(
        lambda message, context: _wrapped(
            response, _answered(generator, name, context, _unwrapped(kind, message))
        ),
        request_deserializer=request,
        response_serializer=response.SerializeToString,
    )


def _empty(octets: bytes) -> bytes:
    """A request without a message."""
    return octets


def _unwrapped(kind: str, message: Message | bytes) -> Message | OtgError | None:
    """The message of a call in its request, which is its only field."""
    if isinstance(message, bytes):
        return OtgError(["the request of this call has no fields; send an empty one"]) if message else None
    return _foreign(message) or (getattr(message, message.DESCRIPTOR.fields[0].name) if kind else None)


def _foreign(message: Message) -> OtgError | None:
    """The refusal of a request with fields that are not in the model; None if it has none."""
    findings = Findings()
    check_fields(message, "", findings)
    return OtgError(findings.errors) if findings.errors else None


def _wrapped(response: Any, answer: Message | bytes) -> Message:
    """The response of a call, whose only field is its answer."""
    made = response()
    (field,) = made.DESCRIPTOR.fields
    if isinstance(answer, bytes):
        setattr(made, field.name, answer)
    else:
        part = getattr(made, field.name)
        part.SetInParent()
        part.CopyFrom(answer)
    return made


def _joined(kind: str, pieces: Iterator[Message]) -> Message | OtgError:
    octets = bytearray()
    for piece in pieces:
        if refused := _foreign(piece):
            return refused
        octets += piece.datum
        if len(octets) > _MOST_BODY:
            return OtgError([f"a message of more than {_MOST_BODY} bytes"])
    try:
        return message_class(kind).FromString(bytes(octets))
    except DecodeError as problem:
        return OtgError([f"the pieces are no {kind}: {problem}"])


def _pieces(answer: Message | bytes) -> Iterator[Message]:
    octets = answer if isinstance(answer, bytes) else answer.SerializeToString()
    for begin in range(0, max(1, len(octets)), _PIECE):
        piece = message_class("Data")()
        piece.datum, piece.chunk_size = octets[begin : begin + _PIECE], _PIECE
        yield piece


def _answered(
    generator: Answering, name: str, context: grpc.ServicerContext, request: Message | OtgError | None
) -> Message | bytes:
    try:
        if isinstance(request, OtgError):
            raise request
        return _message(name, generator.call(name, request))
    except OtgError as refused:
        generator.note(name, refused)
        _abort(context, refused)


def _message(name: str, answer: Answer) -> Message | bytes:
    """The answer to a call, as a message if it is JSON of one."""
    if not isinstance(answer, dict):
        return answer
    (field,) = service().methods_by_name[name].output_type.fields
    assert field.message_type, f"{name} answers a message"
    return message_class(field.message_type.name)(**answer)


def _abort(context: grpc.ServicerContext, refused: OtgError) -> NoReturn:
    """Ends a call with as many errors as a trailer has room for."""
    status = _STATUS[refused.code]
    told: list[str] = []
    room = _MOST_DETAILS
    for number, error in enumerate(refused.errors):
        shown = error if len(error) < _MOST_DETAILS // 4 else f"{error[: _MOST_DETAILS // 4]}…"
        room -= len(json.dumps(shown))
        if room < 0:
            told.append(f"and {len(refused.errors) - number:,} more")
            break
        told.append(shown)
    details = json.dumps({"code": status.value[0], "kind": refused.kind, "errors": told})
    context.abort(status, details)
    raise AssertionError("unreachable: abort raises")
