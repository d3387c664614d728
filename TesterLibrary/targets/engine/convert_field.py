# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Expected header fields as messages of `proto/tester/v1/plan.proto`."""

from __future__ import annotations

from ..._generated.tester.v1 import plan_pb2
from ...model.plan.plan import PlannedField

_COMPARISONS = {
    "==": plan_pb2.ExpectedField.COMPARISON_EQUAL,
    "!=": plan_pb2.ExpectedField.COMPARISON_NOT_EQUAL,
    "<": plan_pb2.ExpectedField.COMPARISON_LESS,
    "<=": plan_pb2.ExpectedField.COMPARISON_AT_MOST,
    ">": plan_pb2.ExpectedField.COMPARISON_GREATER,
    ">=": plan_pb2.ExpectedField.COMPARISON_AT_LEAST,
}


def expected_field_message(field: PlannedField) -> plan_pb2.ExpectedField:
    """A field and how it has to arrive."""
    relation = field.relation
    message = plan_pb2.ExpectedField(
        name=field.name,
        bit_offset=field.bit_offset,
        bits=field.bits,
        comparison=_COMPARISONS[relation.comparison],
    )
    if relation.of_sent:
        message.sent.difference = relation.difference
        for sent, arrives in relation.rewritten.items():
            message.sent.rewritten.add(sent=sent, arrives=arrives)
        message.sent.SetInParent()
    else:
        message.values.values.extend(relation.values)
    return message
