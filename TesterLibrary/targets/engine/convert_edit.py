# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Editors, versions and checksums as messages of `proto/tester/v1/plan.proto`."""

from __future__ import annotations

from collections.abc import Iterable

from ..._generated.tester.v1 import plan_pb2
from ...model.plan import edit
from ...model.plan.plan import Version

Source = plan_pb2.Step | plan_pb2.Values | plan_pb2.RandomBits | plan_pb2.RandomRange | plan_pb2.Distribution


def editor_message(editor: edit.PlannedEditor) -> plan_pb2.Editor:
    """An editor."""
    message = plan_pb2.Editor(
        bit_offset=editor.bit_offset,
        bits=editor.bits,
        every=editor.every,
        coverage=_coverage_messages(editor.coverage),
    )
    source = _source_message(editor.source)
    member = next(f.name for f in message.DESCRIPTOR.fields if f.message_type is source.DESCRIPTOR)
    getattr(message, member).CopyFrom(source)
    return message


def version_message(version: Version) -> plan_pb2.Version:
    """The bit of a version."""
    return plan_pb2.Version(bit_offset=version.bit_offset, coverage=_coverage_messages(version.coverage))


def checksum_message(checksum: edit.Checksum) -> plan_pb2.Checksum:
    """A checksum."""
    return plan_pb2.Checksum(
        kind=checksum.kind.value,
        offset=checksum.offset,
        begin=checksum.begin,
        tail=checksum.tail,
    )


def _coverage_messages(coverage: Iterable[edit.Coverage]) -> list[plan_pb2.Coverage]:
    return [plan_pb2.Coverage(checksum=each.checksum, weight=each.weight) for each in coverage]


def _source_message(source: edit.Source) -> Source:
    if isinstance(source, edit.Step):
        return plan_pb2.Step(first=source.first, increment=source.increment, count=source.count)
    if isinstance(source, edit.Values):
        return plan_pb2.Values(values=source.values)
    if isinstance(source, edit.RandomBits):
        return plan_pb2.RandomBits(seed=source.seed, base=source.base, mask=source.mask)
    if isinstance(source, edit.RandomRange):
        return plan_pb2.RandomRange(seed=source.seed, first=source.first, count=source.count)
    assert isinstance(source, edit.Distribution), f"the protocol has no source {source}"
    return plan_pb2.Distribution(seed=source.seed, values=source.values, cumulative=source.cumulative)
