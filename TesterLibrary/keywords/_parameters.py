# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Named arguments that are parameters of a protocol's tables."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import TesterLibraryError
from ..files.document import did_you_mean
from ..model.responder import End
from ..protocols.checker import load_protocol


def check_parameters(end: End, arguments: Iterable[str]) -> None:
    """Refuses a parameter that the tables of an end do not have, before anybody is asked for anything.

    Args:
        end: as the suite describes it.
        arguments: names that the keyword has besides; one of them may be meant.

    Raises:
        PlanError: names the parameter, and those there are.
    """
    try:
        layers = load_protocol(end.protocol).layers
    except TesterLibraryError:
        return  # the plan says what is wrong with the file
    known = sorted({parameter.name for layer in layers for parameter in layer.parameters})
    for name in end.parameters:
        if name not in known:
            hint = did_you_mean(name, [*arguments, *known])
            raise end.refused(
                f"there is no parameter {name!r}{hint}; {end.protocol} has {', '.join(known) or 'none'}"
            )
