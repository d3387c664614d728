# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Drives a switch with the vendor's client: tables by name, their entries as keys and data."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from typing import Any

from .cpu import CpuPort
from .link import Link
from .reading import LinkReader
from .serving import Refusal

_SPEEDS = {1: "1G", 10: "10G", 25: "25G", 40: "40G", 50: "50G", 100: "100G", 200: "200G", 400: "400G"}
_FECS = {"none": "NONE", "fc": "FIRECODE", "rs": "REED_SOLOMON"}
_MEDIA = {"BF_MEDIA_TYPE_COPPER": "copper", "BF_MEDIA_TYPE_OPTICAL": "optical"}
_NOW_S = 0.001  # the client takes no 0
_INDEXED = ("$REGISTER_INDEX", "$COUNTER_INDEX", "$METER_INDEX")


class VendorSwitch:
    """A switch; each kind of request is a method of the same name."""

    def __init__(self, address: str, program: str, cpu_interface: str) -> None:
        self._link, self._cpu_interface = Link(address, program), cpu_interface
        self._reader = LinkReader(self._link)
        self._cpu: Any = None

    def bind(self) -> None:
        """Takes the program and opens the interface to the CPU port."""
        self._link.bind()
        self._cpu = CpuPort(self._cpu_interface)

    def device_port(self, front: str) -> int:
        """The device port of a connector and channel."""
        connector, _, channel = front.partition("/")
        key = {"$CONN_ID": int(connector), "$CHNL_ID": int(channel or 0)}
        try:
            (found,) = self.read([{"table": "$PORT_HDL_INFO", "key": key}])
        except Refusal as refusal:
            if refusal.kind != "refused":
                raise
            raise Refusal("refused", f"the switch has no port {front}") from refusal
        return int(found["$DEV_PORT"])

    def set_ports(self, ports: list[dict[str, Any]]) -> None:
        """Adds ports anew and enables them."""
        self.remove_ports([port["device_port"] for port in ports])
        words = [
            {
                "table": "$PORT",
                "key": {"$DEV_PORT": port["device_port"]},
                "action": None,
                "data": {
                    "$SPEED": f"BF_SPEED_{_SPEEDS.get(port['speed_bps'] // 10**9, 'NONE')}",
                    "$FEC": f"BF_FEC_TYP_{_FECS[port['fec']]}",
                    "$PORT_ENABLE": True,
                    "$LOOPBACK_MODE": "BF_LPBK_MAC_NEAR" if port["loopback"] else "BF_LPBK_NONE",
                },
            }
            for port in ports
        ]
        self._update(words, "INSERT", rolled_back=False)
        self._link.call(
            self._link.table("$PORT").attribute_port_status_change_set, self._link.target, enable=True
        )

    def remove_ports(self, device_ports: list[int]) -> None:
        """Removes those of the ports that exist."""
        table = self._link.table("$PORT")
        for port in device_ports:
            with suppress(Refusal):
                self._link.call(
                    table.entry_del, self._link.target, [self._link.key(table, {"$DEV_PORT": port})]
                )

    def port_states(self, device_ports: list[int]) -> list[dict[str, Any]]:
        """The states of ports in the daemon."""
        states = self.read([{"table": "$PORT", "key": {"$DEV_PORT": port}} for port in device_ports])
        return [
            {
                "device_port": device_ports[number],
                "up": state["$PORT_UP"],
                "medium": _MEDIA.get(state["$MEDIA_TYPE"], "none"),
            }
            for number, state in enumerate(states)
        ]

    def changed_ports(self) -> list[dict[str, Any]]:
        """The notifications that have come, with the media of their ports."""
        changed: list[tuple[int, bool]] = []
        table = self._link.table("$PORT")
        with suppress(RuntimeError):  # the client raises it when there are no more
            while True:
                notified = self._link.client.portstatus_notification_get(timeout=_NOW_S)
                key = table.get_parser._parse_key(notified.table_entry.key).to_dict()
                changed.append((int(key["$DEV_PORT"]["value"]), notified.port_up))
        states = self.port_states(sorted({port for port, _ in changed}))
        media = {state["device_port"]: state["medium"] for state in states}
        return [{"device_port": port, "up": up, "medium": media[port]} for port, up in changed]

    def take_worst_pause_ns(self) -> None:
        """A chip has no pauses."""

    def digests(self) -> list[dict[str, Any]]:
        """The digests that have come."""
        found: list[dict[str, Any]] = []
        with suppress(RuntimeError):  # the client raises it when there are no more
            while True:
                told = self._link.client.digest_get(timeout=_NOW_S)
                kind = self._link.digest(told.digest_id)
                name = kind.info.name_get()
                found += [
                    {"name": name, "fields": _plain(data.to_dict())} for data in kind.make_data_list(told)
                ]
        return found

    def write(self, batch: list[dict[str, Any]]) -> None:
        """Writes entries: registers, counters and meters first, because they do not roll back."""
        parts: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for words in batch:
            parts[_kind(words)].append(words)
        if parts["indexed"]:
            self._update(parts["indexed"], "MODIFY", rolled_back=False)
        if parts["ports"]:
            self._replace(parts["ports"])
        if parts["matched"]:
            self._update(parts["matched"], "INSERT_OR_MODIFY", rolled_back=True)

    def delete(self, batch: list[dict[str, Any]]) -> None:
        """Deletes entries by their keys."""
        self._update([{**words, "data": None} for words in batch], "DELETE", rolled_back=True)

    def clear(self, tables: list[str]) -> None:
        """Deletes all entries; the daemon sets registers to 0."""
        for name in tables:
            self._link.call(self._link.table(name).entry_del, self._link.target)

    def sync(self, tables: list[str]) -> None:
        """Copies tables from the chip with one request, which the daemon answers when all are copied."""
        request = self._link.request(self._link.messages.WriteRequest())
        for name in tables:
            table = self._link.table(name)
            operation = request.updates.add()
            operation.type = self._link.messages.Update.INSERT
            operation.entity.table_operation.table_id = table.info.id_get()
            operation.entity.table_operation.table_operations_type = next(
                iter(table.info.operations_supported_get())
            )
        self._link.call(self._link.client.reader_writer_interface._write, request)

    def read(self, asked: list[dict[str, Any]], from_chip: bool = False) -> list[dict[str, Any]]:
        """Reads entries of any tables with one request."""
        return self._reader.read(asked, from_chip=from_chip)

    def mac_counters(self, device_ports: list[int]) -> list[dict[str, Any]]:
        """Counters read from the MACs: the daemon's copy can be a second old. Empty if it has no table."""
        asked = [{"table": "$PORT_STAT", "key": {"$DEV_PORT": port}} for port in device_ports]
        try:
            return self.read(asked, from_chip=True)
        except Refusal as refusal:
            if refusal.kind != "refused":
                raise
            return [{} for _ in device_ports]

    def set_groups(self, groups: list[tuple[int, list[int]]]) -> None:
        """Makes groups, each with a node of its number. The daemon cannot change one, only replace it."""
        for number, _ in groups:
            with suppress(Refusal):  # it is not there
                self.remove_groups([number])
        nodes = [_words("$pre.node", "$MULTICAST_NODE_ID", number, _node(ports)) for number, ports in groups]
        self._update(nodes, "INSERT", rolled_back=False)
        words = [_words("$pre.mgid", "$MGID", number, _group(number)) for number, _ in groups]
        self._update(words, "INSERT", rolled_back=False)

    def remove_groups(self, numbers: list[int]) -> None:
        """Removes groups, then their nodes."""
        for table, key in (("$pre.mgid", "$MGID"), ("$pre.node", "$MULTICAST_NODE_ID")):
            self._update(
                [_words(table, key, number, None) for number in numbers], "DELETE", rolled_back=False
            )

    def set_mirror(self, session: int, device_port: int | None) -> None:
        """Leads the copies of a session to a port, or to none. The daemon only replaces it."""
        words = {"table": "$mirror.cfg", "key": {"$sid": session}, "action": "$normal"}
        with suppress(Refusal):  # it is not there
            self._update([{**words, "data": None}], "DELETE", rolled_back=False)
        if device_port is not None:
            data = _mirror(device_port)
            self._update([{**words, "data": data}], "INSERT", rolled_back=False)

    def send(self, frames: list[str]) -> None:
        """Sends packets to the program."""
        self._cpu.send(frames)

    def received(self) -> list[str]:
        """The packets that the program has sent."""
        found: list[str] = self._cpu.received()
        return found

    def close(self) -> None:
        """Releases the program."""
        self._link.close()

    def _data(self, table: Any, words: dict[str, Any]) -> Any:
        action, fields = words["action"], []
        for name, value in words["data"].items():
            kind = table.info.data_field_type_get(name, action)
            argument = {"string": "str_val", "bool": "bool_val"}.get(kind, "val")
            if isinstance(value, list):
                argument = "bool_arr_val" if kind == "bool" else "int_arr_val"
            fields.append(self._link.api.DataTuple(name, **{argument: value}))
        return table.make_data(fields, action)

    def _replace(self, batch: list[dict[str, Any]]) -> None:
        """Replaces entries of tables in which the daemon cannot change an entry."""
        for words in batch:
            with suppress(Refusal):  # it is not there
                self._update([{**words, "data": None}], "DELETE", rolled_back=False)
        self._update(batch, "INSERT", rolled_back=False)

    def _update(self, batch: list[dict[str, Any]], kind: str, *, rolled_back: bool) -> None:
        """Writes entries of several tables with one request, so that all are written or none."""
        request = self._link.request(self._link.messages.WriteRequest())
        atomicity = "ROLLBACK_ON_ERROR" if rolled_back else "CONTINUE_ON_ERROR"
        request.atomicity = getattr(self._link.messages.WriteRequest, atomicity)
        for words in batch:
            table = self._link.table(words["table"])
            data = None if words["data"] is None else [self._link.call(self._data, table, words)]
            update = getattr(self._link.messages.Update, kind)
            table._entry_write_req_make(request, [self._link.key(table, words["key"])], data, update)
        self._link.call(self._link.client.reader_writer_interface._write, request, batch=batch)


def _kind(words: dict[str, Any]) -> str:
    if any(name in words["key"] for name in _INDEXED):
        return "indexed"
    return "ports" if words["table"].endswith("$PORT_METADATA") else "matched"


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in ("action_name", "is_default_entry")}


def _words(table: str, key: str, number: int, data: Any) -> dict[str, Any]:
    return {"table": table, "key": {key: number}, "action": None, "data": data}


def _node(ports: list[int]) -> dict[str, Any]:
    return {"$MULTICAST_RID": 0, "$MULTICAST_LAG_ID": [], "$DEV_PORT": ports}


def _mirror(port: int) -> dict[str, Any]:
    return {
        "$direction": "BOTH",
        "$session_enable": True,
        "$ucast_egress_port": port,
        "$ucast_egress_port_valid": True,
    }


def _group(number: int) -> dict[str, Any]:
    return {
        "$MULTICAST_NODE_ID": [number],
        "$MULTICAST_NODE_L1_XID_VALID": [False],
        "$MULTICAST_NODE_L1_XID": [0],
    }
