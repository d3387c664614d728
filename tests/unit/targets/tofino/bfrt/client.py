# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The parts of the vendor's modules `client` and `bfruntime_pb2` that `vendor/` uses."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from .conversation import NOW, BfruntimeRpcException, RpcError
from .messages import Message

BfruntimeReadWriteRpcException = BfruntimeRpcException


@dataclass
class Target:
    """The device and pipeline of a request."""

    device_id: int
    pipe_id: int


@dataclass
class KeyTuple:
    """A field of a key."""

    name: str
    value: Any = None
    mask: Any = None
    low: Any = None
    high: Any = None


class DataTuple:
    """A field of data; `values` has the one that was given."""

    def __init__(self, name: str, **values: Any) -> None:
        self.name = name
        ((self.kind, self.value),) = values.items()


class Info:
    """The schema of a table or of a digest."""

    def __init__(self, name: str, words: Mapping[str, Any]) -> None:
        self._name, self._words = name, words

    def id_get(self) -> int:
        return int(self._words["id"])

    def name_get(self) -> str:
        return self._name

    def type_get(self) -> str:
        return str(self._words["type"])

    def operations_supported_get(self) -> list[str]:
        return list(self._words["operations"])

    def action_name_get(self, number: int) -> str:
        return next(name for name, (known, _) in self._words["actions"].items() if known == number)

    def data_field_name_get(self, number: int, action: str | None = None) -> str:
        return next(name for name, (known, _, _) in self.fields(action).items() if known == number)

    def data_field_type_get(self, name: str, action: str | None = None) -> str:
        return str(self.fields(action)[name][1])

    def fields(self, action: str | None) -> dict[str, Any]:
        """Data fields of an action, and those that all actions have."""
        return {**(self._words["actions"][action][1] if action else {}), **self._words["data"]}


class Table:
    """One of the program's, or of the chip."""

    def __init__(self, name: str, words: Mapping[str, Any]) -> None:
        self.info, self._keys = Info(name, words), words["key"]
        self.get_parser = SimpleNamespace(_parse_key=self._parse_key)

    def make_key(self, fields: list[KeyTuple]) -> Any:
        for field in fields:
            if field.name not in self._keys:
                raise KeyError(
                    f"The Key field name {field.name} doesn't exist in the Table {self.info.name_get()}"
                )
        return SimpleNamespace(
            field_dict={field.name: field for field in sorted(fields, key=lambda field: field.name)}
        )

    def make_data(self, fields: list[DataTuple], action: str | None) -> Any:
        return SimpleNamespace(fields=sorted(fields, key=lambda field: field.name), action=action)

    def entry_del(self, target: Target, keys: list[Any] | None = None) -> None:
        request = _to(target)
        self._entry_write_req_make(request, keys or [None], None, Update.DELETE)
        _write(request)

    def attribute_port_status_change_set(self, target: Target, enable: bool) -> None:
        request = _to(target)
        update = request.updates.add()
        update.type = Update.INSERT
        update.entity.table_attribute.table_id = self.info.id_get()
        update.entity.table_attribute.port_status_notify.enable = enable
        _write(request)

    def _entry_write_req_make(
        self, request: Message, keys: list[Any], data: list[Any] | None, kind: str
    ) -> None:
        for number, key in enumerate(keys):
            update = request.updates.add()
            update.type = kind
            entry = update.entity.table_entry
            entry.table_id = self.info.id_get()
            if key is not None:
                self._set_table_key(entry, list(key.field_dict.values()))
            if data is not None:
                self._set_table_data(entry, data[number])

    def _set_table_key(self, entry: Message, fields: list[KeyTuple]) -> None:
        for field in fields:
            number, _, bits, kind = self._keys[field.name]
            given = {
                name: value
                for name in ("value", "mask", "low", "high")
                if (value := getattr(field, name)) is not None
            }
            wanted = {"Exact": {"value"}, "Ternary": {"value", "mask"}, "Range": {"low", "high"}}[kind]
            if given.keys() != wanted:
                raise ValueError(f"field:{field.name} Passed in type is not equal to type of keyfield:{kind}")
            one = entry.key.fields.add()
            one.field_id = number
            for name, value in given.items():
                setattr(getattr(one, kind.lower()), name, _octets(value, bits))

    def _set_table_data(self, entry: Message, data: Any) -> None:
        if data.action is not None:
            entry.data.action_id = self.info._words["actions"][data.action][0]
        for field in data.fields:
            number, _, bits = self.info.fields(data.action)[field.name]
            one = entry.data.fields.add()
            one.field_id = number
            if field.kind == "val":
                one.stream = _octets(field.value, bits)
            elif field.kind.endswith("arr_val"):
                setattr(one, field.kind, Message({"val": field.value} if field.value else {}))
            else:
                setattr(one, field.kind, field.value)

    def _parse_key(self, key: Message) -> Any:
        names = {number: name for name, (number, *_) in self._keys.items()}
        words = {
            names[field.field_id]: {"value": int.from_bytes(field.exact.value, "big")} for field in key.fields
        }
        return SimpleNamespace(to_dict=lambda: words)


class Digests:
    """A kind of digest."""

    def __init__(self, name: str, number: int, fields: Mapping[str, Any]) -> None:
        self.info, self._fields = Info(name, {"id": number}), fields

    def make_data_list(self, told: Any) -> Iterator[Any]:
        for values in told.data:
            found = dict(zip(self._fields, values, strict=True))
            words = {**found, "action_name": None, "is_default_entry": False}
            yield SimpleNamespace(to_dict=lambda words=words: words)


class BfRtInfo:
    """Tables and digests."""

    def __init__(self, recorded: Mapping[str, Any]) -> None:
        self._tables = {name: Table(name, words) for name, words in recorded["tables"].items()}
        self._digests = {
            number: Digests(name, number, fields) for name, (number, fields) in recorded["digests"].items()
        }

    def table_get(self, name: str) -> Table:
        return self._tables[name]

    def learn_from_id_get(self, number: int) -> Digests:
        return self._digests[number]


class ClientInterface:
    """A connection."""

    def __init__(self, address: str, client: int, device: int, **options: Any) -> None:
        assert (address.partition(":")[0], device, options["num_tries"]) == ("127.0.0.1", 0, 1)
        self.client_id = client
        self.stub = SimpleNamespace(GetForwardingPipelineConfig=self._configuration)
        self.reader_writer_interface = SimpleNamespace(_write=_write, _read=_read_entries)
        self.torn_down = False

    def bind_pipeline_config(self, program: str) -> None:
        request = Message({"client_id": self.client_id, "config": [{"p4_name": program}]})
        try:
            NOW.exchange("SetForwardingPipelineConfig", request)
        except RpcError as problem:
            raise BfruntimeRpcException(problem) from problem

    def bfrt_info_get(self, program: str) -> BfRtInfo:
        assert program == "tester"
        NOW.exchange("GetForwardingPipelineConfig", Message({"client_id": self.client_id}))
        return BfRtInfo(NOW.recorded)

    def portstatus_notification_get(self, timeout: float) -> Any:
        assert timeout > 0
        port, up = NOW.next_told("port")
        exact = {"value": base64.b64encode(port.to_bytes(4, "big")).decode()}
        entry = Message({"key": {"fields": [{"field_id": 1, "exact": exact}]}})
        return SimpleNamespace(table_entry=entry, port_up=up)

    def digest_get(self, timeout: float) -> Any:
        assert timeout > 0
        (rows,) = NOW.next_told("digest")
        ((number, _),) = NOW.recorded["digests"].values()
        return SimpleNamespace(digest_id=number, data=rows)

    def tear_down_stream(self) -> None:
        self.torn_down = True

    def _configuration(self, request: Message) -> Any:
        return NOW.exchange("GetForwardingPipelineConfig", request)


def _write(request: Message) -> None:
    request.client_id = 1
    try:
        NOW.exchange("Write", request)
    except RpcError as problem:
        raise BfruntimeRpcException(problem) from problem


def _read_entries(request: Message) -> Any:
    request.client_id = 1
    try:
        return [NOW.exchange("Read", request)]
    except RpcError as problem:
        raise BfruntimeRpcException(problem) from problem


def _to(target: Target) -> Message:
    request = Message()
    request.target.device_id, request.target.pipe_id = target.device_id, target.pipe_id
    request.target.direction, request.target.prsr_id = 0xFF, 0xFF
    return request


def _octets(value: int, bits: int) -> bytes:
    return value.to_bytes(-(-bits // 8), "big")


class Notifications(SimpleNamespace):
    """The notifications that a client asks for."""


class Update(Message):
    """Kinds of updates."""

    INSERT, MODIFY, DELETE, INSERT_OR_MODIFY = "INSERT", "MODIFY", "DELETE", "INSERT_OR_MODIFY"


class WriteRequest(Message):
    """A batch."""

    ROLLBACK_ON_ERROR, CONTINUE_ON_ERROR = "ROLLBACK_ON_ERROR", "CONTINUE_ON_ERROR"


class ReadRequest(Message):
    """Entries to be read."""


class GetForwardingPipelineConfigRequest(Message):
    """The programs that run."""

    def __init__(self, client_id: int) -> None:
        super().__init__({"client_id": client_id})


grpc = SimpleNamespace(RpcError=RpcError)
