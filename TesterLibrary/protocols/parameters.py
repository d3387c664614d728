# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What a job may set of a protocol."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import PlanError
from ..model.protocol import Protocol
from .findings import unknown
from .loader import quantity, too_wide


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
