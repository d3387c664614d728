# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of the control Editor (p4/controls/editor.p4): it steps numbers below a bound (norma app. C)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....planning.switch.editor import ENTRIES, WORD, SwitchEditor, own_field, own_member
from .entry import Span, TableEntry

EDITORS = {  # the control of each unit, which is named like it; those behind the first can be cascaded
    "first": "InternalIngress.editor",
    "second": "InternalIngress.editor",
    "third": "InternalIngress.third_editor",
}
_VLAN = "vlan"
_LABELS = dict(zip(ENTRIES, ("mpls", "second_mpls"), strict=True))
_MEMBERS = {
    "Ether": "ether",
    "IP": "ipv4",
    "IPv6": "ipv6",
    "ARP": "arp",
    "UDP": "udp",
    "TCP": "tcp",
}  # headers of the program, by Scapy's names


def editor_entries(template: int, editors: Sequence[SwitchEditor]) -> Iterator[TableEntry]:
    """The entries of a template's units, each at its first number."""
    for (unit, control), editor in zip(EDITORS.items(), editors, strict=False):
        yield from _motion(f"{control}.{unit}", template, editor)
        yield from _values(f"{control}.{unit}_field", template, editor)
        if editor.cascaded:
            yield TableEntry(f"internal.{control}.cascades", {"template": template}, f"{control}.cascade")


def _motion(unit: str, template: int, editor: SwitchEditor) -> Iterator[TableEntry]:
    modes = f"{unit}_modes"
    step = "mask" if editor.random else "by"
    yield TableEntry(
        f"internal.{modes}.modes",
        {"template": template},
        f"{modes}.{'ranged' if editor.random else 'direct'}",
        {step: editor.step, "below": editor.bound % (1 << WORD)},  # 2^32 is 0 where sums are modulo 2^32
    )
    for register in ("values", "values_again"):
        name = f"{unit}.{register}"
        yield TableEntry(f"internal.{name}", {"$REGISTER_INDEX": template}, data={f"{name}.f1": editor.start})


def _values(field: str, template: int, editor: SwitchEditor) -> Iterator[TableEntry]:
    for listed in editor.listed:
        if editor.random:
            yield TableEntry(
                f"internal.{field}.quantiles",
                {"template": template, "number": Span(listed.first, listed.last), "$MATCH_PRIORITY": 0},
                f"{field}.value",
                {"own": listed.value},
            )
        else:
            yield TableEntry(
                f"internal.{field}.values",
                {"template": template, "number": listed.first},
                f"{field}.value",
                {"own": listed.value},
            )
    action = _action(editor.field)
    data = {} if action == _VLAN else {"base": editor.base}
    yield TableEntry(f"internal.{field}.fields", {"template": template}, f"{field}.{action}", data)


def _action(field: str) -> str:
    """The action for a field: `IP.src` becomes ipv4_src; user's headers as in templates/own_headers.p4.j2."""
    header, _, name = field.partition(".")
    if header == "Dot1Q":
        return _VLAN
    if header in _LABELS:
        return _LABELS[header]
    if header in _MEMBERS:
        return f"{_MEMBERS[header]}_{name}"
    return f"{own_member(header)}_{own_field(name)}"
