# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A connection to the daemon of a switch: takes its program, and turns the daemon's errors into refusals."""

from __future__ import annotations

import importlib
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from .serving import Refusal

_ALL_PIPES, _ALL = 0xFFFF, 0xFF
_FULL = 8  # google.rpc.Code
_CLIENTS = range(1, 5)  # numbers of clients that are tried
_PATIENCE_S = 2


class Link:
    """A link to one program. `api`, `messages`: the vendor's modules; `target`: all pipes of device 0."""

    def __init__(self, address: str, program: str) -> None:
        self._address, self._program = address, program
        self.client: Any = None
        self._tables: dict[str, Any] = {}

    def bind(self) -> None:
        """Connects, takes the program and looks up its tables."""
        try:
            self.api = importlib.import_module("bfrt_grpc.client")
            self.messages = importlib.import_module("bfrt_grpc.bfruntime_pb2")
        except ImportError as problem:
            raise Refusal(
                "misconfigured",
                f"the SDE's Python ({sys.executable}) has no client of its own: {problem}; set SDE_INSTALL "
                "to the folder where the SDE is installed, and SDE_PYTHON to a Python with grpcio and a "
                "protobuf below 5",
            ) from problem
        self._connect()
        try:
            self.client.bind_pipeline_config(self._program)
        except self.api.BfruntimeRpcException as problem:
            raise self._not_bound(problem) from problem
        self._info = self.client.bfrt_info_get(self._program)
        self.target = self.api.Target(device_id=0, pipe_id=_ALL_PIPES)

    def _connect(self) -> None:
        host, _, port = self._address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), _PATIENCE_S).close()
        except OSError as problem:
            raise Refusal(
                "gone",
                f"no switch daemon answers at {self._address}: {problem}; start bf_switchd on the switch",
            ) from problem
        for client in _CLIENTS:  # a number in use is refused
            with suppress(RuntimeError):
                notify = self.api.Notifications(enable_idletimeout=False)
                self.client = self.api.ClientInterface(
                    self._address, client, 0, notifications=notify, num_tries=1, timeout=_PATIENCE_S
                )
                return
        raise Refusal("gone", f"the switch daemon at {self._address} takes no client; is it still starting?")

    def _not_bound(self, problem: Any) -> Refusal:
        details = problem.grpc_error_get().details()
        loaded = self.client.stub.GetForwardingPipelineConfig(
            self.messages.GetForwardingPipelineConfigRequest(client_id=self.client.client_id)
        )
        names = [config.p4_name for config in loaded.config]
        if self._program in names:
            return Refusal(
                "broken", f"another client has the program {self._program!r} of the switch: {details}; end it"
            )
        return Refusal(
            "broken",
            f"the switch runs {', '.join(names) or 'no program'}, not {self._program!r}; start bf_switchd "
            "with the program that `tester p4 build` made, or name the one it runs in the testbed",
        )

    def close(self) -> None:
        """Releases the program."""
        if self.client is not None:
            with suppress(Exception):
                self.client.tear_down_stream()

    def table(self, name: str) -> Any:
        """A table of the program, or one of the chip."""
        if name not in self._tables:
            try:
                self._tables[name] = self._info.table_get(name)
            except KeyError:
                raise Refusal("refused", f"the program {self._program!r} has no table {name}") from None
        return self._tables[name]

    def digest(self, number: int) -> Any:
        """A kind of digest of the program."""
        return self._info.learn_from_id_get(number)

    def key(self, table: Any, fields: Mapping[str, Any]) -> Any:
        """The key of an entry. Refusal for a field that the table does not have."""

        def made() -> Any:
            return table.make_key(
                [self.api.KeyTuple(name, **_match(value)) for name, value in fields.items()]
            )

        return self.call(made)

    def request(self, request: Any) -> Any:
        """The request, addressed to all pipes."""
        request.target.device_id, request.target.pipe_id = 0, _ALL_PIPES
        request.target.direction, request.target.prsr_id = _ALL, _ALL
        return request

    def call(self, call: Any, *given: Any, batch: Any = (), **named: Any) -> Any:
        """The result of a call of the client. Refusal names the entry of the batch that is at fault."""
        try:
            return call(*given, **named)
        except self.api.BfruntimeRpcException as problem:
            raise self._refusal(problem, batch) from problem
        except (KeyError, ValueError, TypeError, AssertionError) as problem:
            raise Refusal("refused", f"the vendor's client: {problem!r}") from problem

    def _refusal(self, problem: Any, batch: Any) -> Refusal:
        for index, error in problem.sub_errors_get():
            table = batch[index]["table"] if index < len(batch) else "?"
            if error.canonical_code == _FULL:
                return Refusal(
                    "refused", f"table {table} is full; run fewer streams, or jobs with fewer entries"
                )
            return Refusal("refused", f"table {table}: {error.message}")
        grpc_error = problem.grpc_error_get()
        if grpc_error is None:
            return Refusal("broken", str(problem))
        gone = grpc_error.code().name in ("UNAVAILABLE", "CANCELLED")
        return Refusal("gone" if gone else "broken", f"the switch daemon: {grpc_error.details()}")


def _match(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {"value": value}
    return value if "mask" in value else {"low": value["first"], "high": value["last"]}
