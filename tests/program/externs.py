# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The externs of the chip but tables and registers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from TesterLibrary.targets.tofino.fake.crc import crc16, crc32
from TesterLibrary.targets.tofino.session.switch import Digest

from .checksum import ONES, carried, folded
from .expressions import Call, Expressions, Value, Values, given
from .octets import Reader, Writer
from .tree import Node, arguments, label
from .types import VALID, packed

PORT_METADATA = {"tofino": 64, "tofino2": 192}  # bits before a frame, by chip


def instance(node: Node, expressions: Expressions, pipeline: str) -> Call:
    """The methods of a declared instance. NotImplementedError for a kind that our program does not have."""
    kind = node["type"].get("baseType", node["type"])["path"]["name"]
    if kind not in _KINDS:
        raise NotImplementedError(f"an extern {kind}")
    return _KINDS[kind](node, expressions, pipeline)


def packet_in(expressions: Expressions, call: Node, name: str) -> Value:
    """A method of the packet that a parser reads."""
    method = call["method"]["member"]
    if method == "extract":
        return _extract(expressions, call, name)
    if method == "lookahead":
        width = expressions.types.width(call["typeArguments"][0])
        return lambda values: _reader(values, name).ahead(width)
    if method == "advance":
        (bits,) = given(expressions, call)
        return lambda values: _reader(values, name).take(bits(values))
    raise NotImplementedError(f"packet_in.{method}")


def packet_out(expressions: Expressions, call: Node, name: str) -> Value:
    """The method of the packet that a deparser writes."""
    (argument,) = arguments(call)
    types, kind, value = expressions.types, expressions.type_of(argument), expressions.value(argument)

    whole = types.is_header(kind)
    parts = [("", kind)] if whole else [(part.name, part.type) for part in types.parts(kind)]
    laid_out = [(name, types.layout(part), types.width(part)) for name, part in parts]

    def emit(values: Values) -> None:
        writer: Writer = values[name]
        headers = value(values)
        for own, layout, width in laid_out:
            header = headers if whole else headers[own]
            if header[VALID]:
                writer.add(packed(layout, header), width)

    return emit


def port_metadata_unpack(expressions: Expressions, call: Node, bits: int) -> Value:
    """The metadata that the driver has given to the port of a packet; `bits` are before the frame."""
    kind = call["typeArguments"][0]
    (packet,) = given(expressions, call)

    def unpack(values: Values) -> dict[str, int]:
        packet(values).take(bits)
        said = values["$"].port_metadata
        return {part.name: said.get(part.name, 0) for part in expressions.types.parts(kind)}

    return unpack


def _extract(expressions: Expressions, call: Node, name: str) -> Value:
    (argument,) = arguments(call)
    types, kind, header = expressions.types, expressions.type_of(argument), expressions.value(argument)
    layout, width = types.layout(kind), types.width(kind)

    def extract(values: Values) -> None:
        bits = _reader(values, name).take(width)
        header(values).update({own: bits >> behind & mask for own, behind, mask in layout}, **{VALID: True})

    return extract


def _reader(values: Values, name: str) -> Reader:
    reader: Reader = values[name]
    return reader


def _checksum(node: Node, expressions: Expressions, _: str) -> Call:
    name = f"${node['name']}"

    def call(call: Node) -> Value:
        method = call["method"]["member"]
        if method == "subtract":
            bits, width = expressions.joined(arguments(call)[0])

            def subtract(values: Values) -> None:
                values[name] = carried(values.get(name, 0) + folded(bits(values), width))

            return subtract
        if method == "subtract_all_and_deposit":
            put = expressions.place(arguments(call)[0])
            return lambda values: put(values, ~values.get(name, 0) & ONES)
        if method == "update":
            bits, width = expressions.joined(arguments(call)[0])
            ones = len(arguments(call)) > 1 and bool(arguments(call)[1]["value"])
            return lambda values: (~folded(bits(values), width) & ONES) or (ONES if ones else 0)
        raise NotImplementedError(f"Checksum.{method}")

    return call


def _hash_unit(node: Node, expressions: Expressions, _: str) -> Call:
    algorithm = arguments(node)[0]["member"]
    mask = (1 << expressions.types.width(node["type"]["arguments"][0])) - 1
    if algorithm not in _HASHES:
        raise NotImplementedError(f"Hash of {algorithm}")
    hashed = _HASHES[algorithm]

    def get(call: Node) -> Value:
        bits, width = expressions.joined(arguments(call)[0])
        return lambda values: hashed(bits(values), -(-width // 8)) & mask

    return get


_HASHES: Mapping[str, Callable[[int, int], int]] = {
    "IDENTITY": lambda bits, _: bits,
    "CRC16": lambda bits, length: crc16(bits.to_bytes(length, "big")),
    "CRC32": lambda bits, length: crc32(bits.to_bytes(length, "big")),
}


def _counter(node: Node, expressions: Expressions, pipeline: str) -> Call:
    table, kind = f"{pipeline}.{label(node)}", arguments(node)[1]["member"]

    def count(call: Node) -> Value:
        (index,) = given(expressions, call)

        def add(values: Values) -> None:
            passing = values["$"]
            place = passing.pipe, index(values)
            for field, more in (("PKTS", 1), ("BYTES", passing.size)):
                if field == "PKTS" or "BYTES" in kind:
                    cells = passing.store.cells(table, f"$COUNTER_SPEC_{field}")
                    cells[place] = cells.get(place, 0) + more

        return add

    return count


def _direct_counter(_node: Node, _expressions: Expressions, _pipeline: str) -> Call:
    def count(values: Values) -> None:
        passing = values["$"]
        if passing.entry is not None:
            table, entry = passing.entry
            passing.store.hits[table, entry.place] += 1
            passing.store.count_octets(table, entry, passing.size)

    return lambda _: count


def _meter(_node: Node, _expressions: Expressions, _pipeline: str) -> Call:
    return lambda _: lambda values: values["$"].color


def _random(node: Node, expressions: Expressions, _pipeline: str) -> Call:
    mask = (1 << expressions.types.width(node["type"]["arguments"][0])) - 1
    return lambda _: lambda values: values["$"].random() & mask


def _digest(node: Node, expressions: Expressions, pipeline: str) -> Call:
    name = f"{pipeline}.{label(node)}"

    def pack(call: Node) -> Value:
        (told,) = given(expressions, call)

        def tell(values: Values) -> Any:
            values["$"].digests.append(Digest(name, dict(told(values))))

        return tell

    return pack


def _mirror(_node: Node, expressions: Expressions, _pipeline: str) -> Call:
    """A mirror, which puts a header before the copy of a packet."""

    def emit(call: Node) -> Value:
        session, header = given(expressions, call)
        kind, types = call["typeArguments"][0], expressions.types
        layout, length = types.layout(kind), types.width(kind) // 8

        def copy(values: Values) -> None:
            before = packed(layout, header(values)).to_bytes(length, "big")
            values["$"].mirrored.append((session(values), before))

        return copy

    return emit


_KINDS: Mapping[str, Callable[[Node, Expressions, str], Call]] = {
    "Checksum": _checksum,
    "Hash": _hash_unit,
    "Counter": _counter,
    "DirectCounter": _direct_counter,
    "Meter": _meter,
    "Random": _random,
    "Digest": _digest,
    "Mirror": _mirror,
}
