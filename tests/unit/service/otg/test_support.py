# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every field of the model is in a configuration that is accepted, or is refused by its path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from TesterLibrary.service.otg.configuration import settings_of
from TesterLibrary.service.otg.json_text import parsed
from TesterLibrary.service.otg.refusal import Findings
from TesterLibrary.service.otg.schema import descriptor, is_list, message_class, values_of
from TesterLibrary.service.otg.support import check, fields_read, is_read, values_read

from .bench import Bench, laboratory
from .configs import configs, requests

ROOTS = (
    *("Config", "ConfigUpdate", "ConfigAppend", "ConfigDelete", "ControlState", "ControlAction"),
    *("MetricsRequest", "StatesRequest", "CaptureRequest"),
)
Seen = set[tuple[str, str, str]]  # message, field, and value of an enumeration


def _seen(message: Any, seen: Seen) -> None:
    for field, value in message.ListFields():
        values = list(value) if is_list(field) else [value]
        for one in values:
            name = field.enum_type.values_by_number[one].name if field.enum_type else ""
            seen.add((message.DESCRIPTOR.name, field.name, name))
            if field.message_type:
                _seen(one, seen)


@cache
def _reached() -> dict[str, tuple[str, tuple[FieldDescriptor, ...]]]:
    """Each message that is read, with a root and the way from there."""
    found: dict[str, tuple[str, tuple[FieldDescriptor, ...]]] = {root: (root, ()) for root in ROOTS}
    waiting = list(ROOTS)
    while waiting:
        name = waiting.pop(0)
        root, way = found[name]
        for field in descriptor(name).fields:
            inner = field.message_type
            if inner and is_read(descriptor(name), field.name) and inner.name not in found:
                found[inner.name] = (root, (*way, field))
                waiting.append(inner.name)
    return found


def _built(name: str) -> tuple[Any, Any, str]:
    """A root message with one of these within, that one, and its path."""
    root, way = _reached()[name]
    whole = inner = message_class(root)()
    path = []
    for field in way:
        choice = inner.DESCRIPTOR.fields_by_name.get("choice")
        if choice and field.name in values_of(choice):
            inner.choice = values_of(choice)[field.name]
        inner = getattr(inner, field.name)
        if is_list(field):
            inner = inner.add()
        else:
            inner.SetInParent()
        path.append(f"{field.name}[0]" if is_list(field) else field.name)
    return whole, inner, ".".join(path)


def _unread() -> Iterator[tuple[str, str]]:
    for name in _reached():
        for field in descriptor(name).fields:
            if not is_read(descriptor(name), field.name):
                yield name, field.name


def _set(message: Any, field: FieldDescriptor) -> None:
    value = getattr(message, field.name)
    if field.message_type:
        if is_list(field):
            value.add()
        else:
            value.SetInParent()
        return
    sample: Any = next(iter(values_of(field).values())) if field.enum_type else 1
    if field.type == FieldDescriptor.TYPE_STRING:
        sample = "x"
    if field.type == FieldDescriptor.TYPE_BOOL:
        sample = True
    if is_list(field):
        value.append(sample)
    else:
        setattr(message, field.name, sample)


def test_what_is_not_read_is_refused_by_its_path() -> None:
    unread = list(_unread())
    assert len(unread) > 200
    for name, field in unread:
        whole, inner, path = _built(name)
        _set(inner, descriptor(name).fields_by_name[field])
        findings = Findings()
        check(whole, "", findings)
        place = f"{path}.{field}" if path else field
        assert any(error.startswith(place) and "supported" in error for error in findings.errors), (
            place,
            findings.errors,
        )


def test_values_that_are_not_read_are_refused_by_their_path() -> None:
    for name in _reached():
        for field in descriptor(name).fields:
            if not field.enum_type or not is_read(descriptor(name), field.name):
                continue
            for value in set(values_of(field)) - set(values_read(field)):
                whole, inner, _ = _built(name)
                if is_list(field):
                    getattr(inner, field.name).append(values_of(field)[value])
                else:
                    setattr(inner, field.name, values_of(field)[value])
                findings = Findings()
                check(whole, "", findings)
                assert any(
                    f"{field.name}" in e and f"{value} is not supported" in e for e in findings.errors
                ), value


def test_everything_that_is_read_is_accepted(tmp_path: Path) -> None:
    """Together the configurations have each field and each value, and each is planned."""
    seen: Seen = set()
    bench = Bench(tmp_path)
    for config in configs():
        message = parsed("Config", json.dumps(config).encode())
        _seen(message, seen)
        settings = settings_of(message, laboratory(), {})
        for flow in settings.flows.values():
            bench.tester.check([part.stream for part in flow.parts])
    for name, request in requests():
        message = parsed(name, json.dumps(request).encode())
        findings = Findings()
        check(message, "", findings)
        assert not findings.errors
        _seen(message, seen)
    missing = [wanted for wanted in _wanted() if wanted not in seen]
    assert not missing


def _wanted() -> Iterator[tuple[str, str, str]]:
    for name in _reached():
        known: Descriptor = descriptor(name)
        for field in fields_read(known):
            described = known.fields_by_name[field]
            if (name, field) == ("ControlAction", "choice"):
                continue  # each action is refused, by name
            for value in values_read(described) if described.enum_type else [""]:
                yield name, field, value


def test_fields_of_a_newer_model_are_refused() -> None:
    message = message_class("Config").FromString(
        b"\xfa\x7f\x01x"
    )  # field 2047, as a newer client may send it
    findings = Findings()
    check(message, "", findings)
    assert findings.errors == ["field number 2047 is not in this version of the model"]


def test_what_choice_does_not_name_is_refused() -> None:
    flow = {"name": "f", "rate": {"choice": "pps", "pps": 1, "bps": 7}}
    findings = Findings()
    check(parsed("Config", json.dumps({"flows": [flow]}).encode()), "", findings)
    assert findings.errors == ["flows[0].rate.bps: goes with the choice bps, not pps"]


def test_a_name_that_the_model_has_not_is_an_error_of_ours() -> None:
    from TesterLibrary.service.otg.support import reads

    with pytest.raises(KeyError, match="has no field"):
        reads("Flow", "nonsense")
