# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of a protocol that a job may set."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import PlanError
from ..model.protocol import Protocol
from .document_reader import given_value, quantity, too_wide
from .findings import unknown


def written_parameters(protocol: Protocol, given: Mapping[str, object]) -> dict[str, int]:
    """Parameters that a job gives, as numbers; a time needs its unit.

    Raises:
        PlanError: a parameter that is not there; a value that is no number, address, time or amount of data,
            or is one in another unit than the default of the table.
    """
    known = {parameter.name: parameter for layer in protocol.layers for parameter in layer.parameters}
    for name in given:
        if name not in known:
            raise PlanError(f"{protocol.name}: {unknown('parameter', name, sorted(known))}")
    values = {}
    for name, value in given.items():
        try:
            values[name] = given_value(known[name], value)
        except ValueError as error:
            raise PlanError(f"{protocol.name}: {name}: {error}") from None
    return values


def parameter_values(protocol: Protocol, given: Mapping[str, object]) -> dict[str, int]:
    """The values of all parameters of a protocol's tables: numbers, addresses, times in microseconds.

    Raises:
        PlanError: a parameter that is not there or does not fit.
    """
    known = {parameter.name: parameter for layer in protocol.layers for parameter in layer.parameters}
    values = {name: parameter.default for name, parameter in known.items()}
    for name, value in given.items():
        if name not in known:
            raise PlanError(f"{protocol.name}: {unknown('parameter', name, known)}")
        values[name] = quantity(value)
        if not 0 <= values[name] < 1 << known[name].bits:
            raise PlanError(f"{protocol.name}: {name}: {too_wide(values[name], known[name].bits)}")
    return values
