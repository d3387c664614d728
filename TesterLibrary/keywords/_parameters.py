# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Named arguments that are parameters of a protocol's tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from robot.api import logger

from ..errors import PlanError, TesterLibraryError, did_you_mean
from ..model.responder import End
from ..protocols.checker import load_protocol

_End = TypeVar("_End", bound=End)
T = TypeVar("T")


def renamed(keyword: str, name: str, value: T, default: T, old_name: str, old: T | None) -> T:
    """The value of an argument that has a new name. The old name still works, with a warning.

    Raises:
        PlanError: both names are given.
    """
    if old is None:
        return value
    if value != default:
        raise PlanError(f"{keyword}: {name}= and {old_name}= are one argument; give {name}= alone")
    logger.warn(f"{keyword}: the argument {old_name!r} is deprecated; write {name!r}")
    return old


def with_parameters(
    end: _End,
    parameters: Mapping[str, Any],
    arguments: Iterable[str],
    names: Mapping[str, str] = MappingProxyType({}),
) -> _End:
    """The end with more parameters of its tables. It is checked before anything is sent.

    Args:
        end: the end that the arguments of the keyword describe; they set some parameters already.
        parameters: the parameters that the suite sets, by their names in the tables.
        arguments: names of the keyword's own arguments, for suggestions.
        names: arguments that set a parameter of another name, by the name of the parameter.

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
    allowed = sorted({parameter.name for layer in layers for parameter in layer.parameters} - names.keys())
    for name in end.parameters:
        if name not in allowed and name not in names:
            hint = did_you_mean(name, [*arguments, *allowed])
            raise end.refused(
                f"there is no parameter {name!r}{hint}; {end.protocol} has {', '.join(allowed) or 'none'}"
            )
    return end
