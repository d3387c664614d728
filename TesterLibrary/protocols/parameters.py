# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What a job may set of a protocol."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import PlanError
from ..model.protocol import Protocol
from ..model.units import Duration
from .findings import unknown
from .loader import quantity, too_wide


def written_parameters(protocol: Protocol, given: Mapping[str, object]) -> dict[str, int]:
    """Parameters that a job gives, as numbers; a time needs its unit.

    Raises:
        PlanError: a value that is no number, address or time, or a time without a unit.
    """
    times = {parameter.name for layer in protocol.layers for parameter in layer.parameters if parameter.time}
    values = {}
    for name, value in given.items():
        try:
            values[name] = quantity(Duration.parse(value) if name in times else value)
        except ValueError as error:
            raise PlanError(f"{protocol.name}: {name}: {error}") from None
    return values


def parameter_values(protocol: Protocol, given: Mapping[str, object]) -> dict[str, int]:
    """All parameters of all its tables: numbers, addresses, times in microseconds.

    Raises:
        PlanError: a parameter that is not there or does not fit.
    """
    known = {own.name: own for layer in protocol.layers for own in layer.parameters}
    values = {name: own.default for name, own in known.items()}
    for name, value in given.items():
        if name not in known:
            raise PlanError(f"{protocol.name}: {unknown('parameter', name, known)}")
        values[name] = quantity(value)
        if not 0 <= values[name] < 1 << known[name].bits:
            raise PlanError(f"{protocol.name}: {name}: {too_wide(values[name], known[name].bits)}")
    return values
