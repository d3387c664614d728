# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Lowers headers, templates, messages and scanners of a protocol to the messages of `protocol.proto`."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.message import Message, Number
from ...model.scanner import Find, Scanner
from ...model.template import Option, OptionKind, Template
from ...protocols.automaton import automaton_of
from ...protocols.frame import checksum_field
from ...protocols.layout import HeaderLayout, Layout
from ...protocols.scope import layout_of
from .actions import FlatActions
from .numbers import Record, field_of, octets

_KINDS = {
    "Ether": "ETHERNET",
    "IP": "IPV4",
    "IPv6": "IPV6",
    "GTP_U_Header": "GTP_U",
    "BTH": "BTH",
    "IGMP": "ICMP",  # their checksums are alike
}
_SUMMED = ("UDP", "TCP", "ICMP")
_OPTIONS = {
    OptionKind.MSS: "KIND_MSS",
    OptionKind.WINDOW_SCALE: "KIND_WINDOW_SCALE",
    OptionKind.SACK_PERMITTED: "KIND_SACK_PERMITTED",
    OptionKind.TIMESTAMP: "KIND_TIMESTAMP",
    OptionKind.SACK: "KIND_SACK",
}


def flat_headers(layout: Layout, *, announced: bool) -> list[Record]:
    """The headers of a template, or of received packets with the values that announce them."""
    return [_header(index, header, announced) for index, header in enumerate(layout.headers)]


def flat_template(template: Template, keys: Mapping[str, int], actions: FlatActions) -> Record:
    """A template. `keys`: for each flow field, the number of the arriving packets' value that it takes."""
    layout = layout_of(template.headers)
    headers = flat_headers(layout, announced=False)
    return {
        "headers": headers,
        "payload": template.payload,
        **({} if template.body is None else {"body": actions.expression(template.body)}),
        "flow": [
            {"field": field_of(layout, name), "flow": number}
            for name, number in keys.items()
            if name in layout.places
        ],
        "edits": [
            {"field": field_of(layout, name), "expression": actions.expression(value)}
            for name, value in template.fields
        ],
        "options": [_option(option, actions) for option in template.options],
    }


def flat_message(message: Message, actions: FlatActions) -> Record:
    """A message for a stream."""
    parts = [
        {
            "digits": {
                "operand": actions.operand(part.name),
                "digits": part.digits,
                "fill": ord(part.fill),
            }
        }
        if isinstance(part, Number)
        else {"text": part}
        for part in message.text
    ]
    return {"parts": parts, "body": actions.expression(message.body), "fill": message.fill}


def flat_scanner(scanner: Scanner, actions: FlatActions) -> Record:
    """A scanner. Bytes that lead to the same next state from every state form one class."""
    automaton = automaton_of(scanner)
    columns = list(zip(*automaton.steps, strict=True))
    distinct = {column: index for index, column in enumerate(dict.fromkeys(columns))}
    return {
        "register": actions.register(scanner.name),
        "most": scanner.most,
        "ended": actions.event(scanner.name),
        "overlong": actions.event(scanner.overlong),
        "classes": bytes(distinct[column] for column in columns),
        "steps": [step for state in zip(*distinct, strict=True) for step in state],
        "found": [{"finds": list(finds)} for finds in automaton.found],
        "finds": [_find(find, actions) for find in automaton.finds],
        "ends": len(scanner.ends),
        "begins": scanner.begin is not None,
    }


def _find(find: Find, actions: FlatActions) -> Record:
    record = {"set": _values(find.fields, actions), "add": _values(find.added, actions)}
    if find.number is None:
        return record
    number = {
        "register": actions.register(find.number.variable),
        "base": find.number.base,
        "before": find.number.before,
        "otherwise": _values(find.number.otherwise, actions),
    }
    return {**record, "number": number}


def _values(fields: tuple[tuple[str, int], ...], actions: FlatActions) -> list[Record]:
    return [{"register": actions.register(name), "initial": octets(value)} for name, value in fields]


def _header(index: int, header: HeaderLayout, announced: bool) -> Record:
    content = bytearray(header.octets if announced else header.octets + header.options)
    if not announced and header.kind == "UDP":
        header.places["chksum"].write(content, 1)  # 0 would say that it has none
    values = [
        {
            "field": {
                "header": index,
                "offset": header.places[name].offset,
                "bits": header.places[name].bits,
            },
            "value": octets(value),
        }
        for name, value in header.announced.items()
    ]
    return {
        "kind": _kind(header),
        "octets": bytes(content),
        "announced": values if announced else [],
    }


def _kind(header: HeaderLayout) -> str:
    if header.kind in _SUMMED:
        return f"KIND_{header.kind}"
    if header.kind not in _KINDS and checksum_field(header):
        return "KIND_ICMPV6"
    return f"KIND_{_KINDS.get(header.kind, 'PLAIN')}"


def _option(option: Option, actions: FlatActions) -> Record:
    values = [actions.expression(value) for value in option.values]
    only_if = {"only_if": actions.register(option.only_if)} if option.only_if else {}
    return {"kind": _OPTIONS[option.kind], "values": values, **only_if}
