# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Named arguments that are parameters of a protocol's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from ..errors import TesterLibraryError
from ..files.document import did_you_mean
from ..model.responder import End
from ..protocols.checker import load_protocol

_End = TypeVar("_End", bound=End)


def with_parameters(
    end: _End,
    parameters: Mapping[str, Any],
    arguments: Iterable[str],
    names: Mapping[str, str] = MappingProxyType({}),
) -> _End:
    """The end with more parameters of its tables, before anybody is asked for anything.

    Args:
        end: as the arguments of the keyword describe it; they set some parameters already.
        parameters: those that the suite gives by their names in the tables.
        arguments: names that the keyword has besides; one of them may be meant.
        names: the arguments that set a parameter of another name, by that name.

    Raises:
        PlanError: names a parameter that the tables do not have, or that an argument sets.
    """
    for name in parameters:
        if name in names or name in end.parameters:
            argument = names.get(name, name)
            raise end.refused(
                f"the argument {argument!r} sets the parameter {name!r}; give {argument}= alone"
            )
    end = replace(end, parameters={**end.parameters, **parameters})
    try:
        layers = load_protocol(end.protocol).layers
    except TesterLibraryError:
        return end  # the plan says what is wrong with the file
    known = sorted({parameter.name for layer in layers for parameter in layer.parameters} - names.keys())
    for name in end.parameters:
        if name not in known and name not in names:
            hint = did_you_mean(name, [*arguments, *known])
            raise end.refused(
                f"there is no parameter {name!r}{hint}; {end.protocol} has {', '.join(known) or 'none'}"
            )
    return end
