# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of the control Editor (p4/controls/editor.p4): numbers that move below a bound (norma app. C)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...planning.own_members import own_field, own_member
from ...planning.switch_editor import WORD, SwitchEditor
from .entry import Entry, Span

_EDITOR = "InternalIngress.editor"
_UNITS = ("first", "second")  # the second can be cascaded
_MEMBERS = {"IP": "ipv4", "UDP": "udp", "TCP": "tcp"}  # headers of the program, by Scapy's names


def editor_entries(template: int, editors: Sequence[SwitchEditor]) -> Iterator[Entry]:
    """Of the units of a template, each at its first number."""
    for unit, editor in zip(_UNITS, editors, strict=False):
        yield from _motion(unit, template, editor)
        yield from _values(f"{_EDITOR}.{unit}_field", template, editor)
        if editor.cascaded:
            yield Entry(f"internal.{_EDITOR}.cascades", {"template": template}, f"{_EDITOR}.cascade")


def _motion(unit: str, template: int, editor: SwitchEditor) -> Iterator[Entry]:
    modes = f"{_EDITOR}.{unit}_modes"
    step = "mask" if editor.random else "by"
    yield Entry(
        f"internal.{modes}.modes",
        {"template": template},
        f"{modes}.{'ranged' if editor.random else 'direct'}",
        {step: editor.step, "below": editor.bound % (1 << WORD)},  # 2^32 is 0 where sums are modulo 2^32
    )
    for register in ("values", "values_again"):
        name = f"{_EDITOR}.{unit}.{register}"
        yield Entry(f"internal.{name}", {"$REGISTER_INDEX": template}, data={f"{name}.f1": editor.start})


def _values(field: str, template: int, editor: SwitchEditor) -> Iterator[Entry]:
    for own in editor.listed:
        if editor.random:
            yield Entry(
                f"internal.{field}.quantiles",
                {"template": template, "number": Span(own.first, own.last), "$MATCH_PRIORITY": 0},
                f"{field}.value",
                {"own": own.value},
            )
        else:
            yield Entry(
                f"internal.{field}.values",
                {"template": template, "number": own.first},
                f"{field}.value",
                {"own": own.value},
            )
    yield Entry(
        f"internal.{field}.fields",
        {"template": template},
        f"{field}.{_action(editor.field)}",
        {"base": editor.base},
    )


def _action(field: str) -> str:
    """`IP.src` becomes ipv4_src; a field of an own header what templates/own_headers.p4.j2 calls it."""
    header, _, name = field.partition(".")
    if header in _MEMBERS:
        return f"{_MEMBERS[header]}_{name}"
    return f"{own_member(header)}_{own_field(name)}"
