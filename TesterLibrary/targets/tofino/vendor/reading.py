# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Parses the entries that the daemon answers; the vendor's client takes ten times as long for it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from .link import Link
from .serving import Refusal

_WHOLE = ("bool_val", "str_val", "float_val")
_LISTS = ("int_arr_val", "bool_arr_val", "str_arr_val")


class LinkReader:
    """Reads entries over one link."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._names: dict[tuple[int, int], dict[int, str]] = defaultdict(dict)  # by table and action

    def read(self, asked: list[dict[str, Any]], *, from_chip: bool) -> list[dict[str, Any]]:
        """The data of entries by their fields, in this order: from the chip, or from the copy."""
        if not asked:
            return []
        tables = [self._link.table(one["table"]) for one in asked]
        request = self._link.request(self._link.messages.ReadRequest())
        for table, one in zip(tables, asked):  # noqa: B905 - Python 3.8 is the SDE's
            entry = request.entities.add().table_entry
            entry.table_id = table.info.id_get()
            entry.table_flags.from_hw = from_chip
            table._set_table_key(entry, list(self._link.key(table, one["key"]).field_dict.values()))
        found = self._link.call(self._answers, request, batch=asked)
        if [entry.table_id for entry in found] != [table.info.id_get() for table in tables]:
            what = f"{len(found)} of {len(asked)} entries that were asked for"
            raise Refusal("refused", f"the switch has {what}")
        return [self._data(table, entry.data) for table, entry in zip(tables, found)]  # noqa: B905

    def _answers(self, request: Any) -> list[Any]:
        api = self._link.api
        try:
            answers = self._link.client.reader_writer_interface._read(request)
            return [entity.table_entry for answer in answers for entity in answer.entities]
        except api.grpc.RpcError as problem:
            raise api.BfruntimeReadWriteRpcException(problem) from problem

    def _data(self, table: Any, data: Any) -> dict[str, Any]:
        names = self._names[table.info.id_get(), data.action_id]
        found: dict[str, Any] = {}
        for field in data.fields:
            if field.field_id not in names:
                of = (table.info.action_name_get(data.action_id),) if data.action_id else ()
                names[field.field_id] = table.info.data_field_name_get(field.field_id, *of)
            name, value = names[field.field_id], _value(field)
            if name in found:  # a register has a number for each pipe
                found[name].append(value)
            else:
                found[name] = [value] if table.info.type_get() == "Register" else value
        return found


def _value(field: Any) -> Any:
    kind = field.WhichOneof("value")
    if kind == "stream":
        return int.from_bytes(field.stream, "big")
    if kind in _LISTS:
        return list(getattr(field, kind).val)
    if kind in _WHOLE:
        return getattr(field, kind)
    return None
