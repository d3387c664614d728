# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of arguments that may be left out, as Robot Framework is told of them.

Robot tries each type of `Endpoints | None` in turn and drops what each has to say of a value that it refuses.
Told of `Endpoints` alone it gives the reason; `None` stays allowed, for that is the default.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import Any


def with_reasons(
    hints: Mapping[str, Any], arguments: Sequence[Any], converted: Collection[type[Any]]
) -> dict[str, Any]:
    """The types of a keyword's arguments, `X` in place of `X | None` where X says why it refuses a value.

    `arguments` are names, or pairs of a name and a default; `converted` are types with a parser.
    """
    absent = {argument[0] for argument in arguments if isinstance(argument, tuple) and argument[1] is None}
    return {name: _alone(hint, converted) if name in absent else hint for name, hint in hints.items()}


def _alone(hint: Any, converted: Collection[type[Any]]) -> Any:
    if typing.get_origin(hint) not in (types.UnionType, typing.Union):
        return hint
    rest = [part for part in typing.get_args(hint) if part is not types.NoneType]
    if len(rest) == 1 and (rest[0] in converted or (isinstance(rest[0], type) and issubclass(rest[0], Enum))):
        return rest[0]
    return hint
