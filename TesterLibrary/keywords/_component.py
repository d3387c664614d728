# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How a keyword component makes itself known."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

from ..running.suite import Suite
from ._tables import with_table

Component = TypeVar("Component", bound=Callable[[Suite], object])

registered: list[Callable[[Suite], object]] = []


def component(cls: Component) -> Component:
    """Class decorator: the library has the keywords of this class. Completes their tables of arguments."""
    for method in vars(cls).values():
        if hasattr(method, "robot_name"):
            method.__doc__ = with_table(inspect.getdoc(method) or "", inspect.signature(method).parameters)
    registered.append(cls)
    return cls
