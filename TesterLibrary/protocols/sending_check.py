# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks the templates, messages and scanners of a table."""

from __future__ import annotations

from collections.abc import Iterator, Set

from ..errors import PlanError
from ..model.message import Message, Number
from ..model.protocol import Protocol
from ..model.scanner import Scanner
from ..model.template import Template
from .document_reader import too_wide
from .findings import Problem, expression_problems, unknown
from .scope import NameScope, layout_of
from .tcp_options import MOST_OCTETS, OCTETS


def sending_problems(protocol: Protocol, scope: NameScope) -> Iterator[Problem]:
    """The problems of one table's templates, messages and scanners."""
    flow = {name for key in protocol.layers[0].flow for name in key}
    for template in protocol.templates:
        yield from _template(template, scope)
        yield from _nowhere(template, flow)
    for message in protocol.messages:
        yield from _message(message, scope)
    for scanner in protocol.scanners:
        yield from _scanner(scanner, scope)


def _template(template: Template, scope: NameScope) -> Iterator[Problem]:
    line = template.line
    try:
        layout = layout_of(template.headers)
    except PlanError as problem:
        yield line, f"the template {template.name!r}: {problem}"
        return
    for name, value in template.fields:
        if name in layout.places:
            yield from expression_problems(value, scope, line, bare=False, bits=layout.places[name].bits)
        else:
            yield line, f"the template {template.name!r}: {layout.unknown(name)}"
    if template.body is not None:
        yield from expression_problems(template.body, scope, line, bare=True)
    if template.options and "TCP" not in [header.name for header in layout.headers]:
        yield line, f"the template {template.name!r} has options, which are for TCP; it has no such header"
    octets = sum(OCTETS[option.kind] for option in template.options)
    if octets > MOST_OCTETS:
        yield (
            line,
            f"the template {template.name!r} has {octets} bytes of options; TCP has {MOST_OCTETS} at most",
        )
    for option in template.options:
        if option.only_if and option.only_if not in scope.variables:
            yield line, unknown("variable", option.only_if, scope.variables)
        for value in option.values:
            yield from expression_problems(value, scope, line, bare=False)


def _nowhere(template: Template, flow: Set[str]) -> Iterator[Problem]:
    """IP addresses of a template that are neither the flow's nor its author's."""
    fields = flow | {name for name, _ in template.fields}
    for header in template.headers.headers:
        if header.name not in ("IP", "IPv6"):
            continue
        fields |= {f"{header.name}.{name}" for name, _ in header.fields}
        missing = [name for name in (f"{header.name}.src", f"{header.name}.dst") if name not in fields]
        if missing:
            yield (
                template.line,
                f"the template {template.name!r} goes to nobody: its {' and '.join(missing)} "
                f"{'is' if len(missing) == 1 else 'are'} neither of the flow nor set; write "
                f"flow: [[{header.name}.src, {header.name}.dst]], or set them, such as "
                f"set: {{{header.name}.dst: {header.name}.src}}",
            )
        return


def _message(message: Message, scope: NameScope) -> Iterator[Problem]:
    for part in message.text:
        bits = scope.bits(part.name) if isinstance(part, Number) else 0
        if isinstance(part, Number) and (bits is None or scope.of_packet(part.name)):
            yield message.line, unknown("variable", part.name, (*scope.variables, *scope.parameters))
        elif isinstance(part, Number) and bits and (1 << bits) > 10**part.digits:
            needed = len(str((1 << bits) - 1))
            yield (
                message.line,
                f"{part.name} of {bits} bits takes up to {needed} digits; give {{{part.name}:{needed}}}",
            )
    yield from expression_problems(message.body, scope, message.line, bare=True)


def _scanner(scanner: Scanner, scope: NameScope) -> Iterator[Problem]:
    for find in scanner.all:
        for name, value in find.variables:
            if name not in scope.variables:
                yield find.line, unknown("variable", name, scope.variables)
            elif value >> scope.variables[name].bits:
                yield find.line, f"{name}: {too_wide(value, scope.variables[name].bits)}"
        if find.number and find.number.variable not in scope.variables:
            yield find.line, unknown("variable", find.number.variable, scope.variables)
