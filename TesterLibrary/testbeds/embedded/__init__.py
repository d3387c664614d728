# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Devices under test that this machine makes itself: one file each, which registers a builder.

    @device("bridge")
    def build(namespace: Namespace, ports: Sequence[DutPort]) -> None: ...

A device that has hosts, or is some, returns their namespaces by name: each port is in one of them.

Options of the testbed file, which its schema has checked, come as further named arguments.

A builder runs as root of the device's own network namespace, where one interface for each port of the
tester waits, up and silent. Whatever it makes there, processes included, goes with the namespace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from ...model.ports import Interface

if TYPE_CHECKING:
    from ..namespace import Namespace


@dataclass(frozen=True)
class DutPort:
    """An interface of the device and what the testbed file says of its place in the network."""

    interface: str  # has the name of the tester's port that it faces
    address: Interface | None  # the device's own: the gateway of the tester's port


Builder = Callable[..., "Mapping[str, Namespace] | None"]  # namespace, ports, and the options by name
_builders: dict[str, Builder] = {}


def device(name: str) -> Callable[[Builder], Builder]:
    """Registers a builder under the name that testbed files use."""

    def register(builder: Builder) -> Builder:
        _builders[name] = builder
        return builder

    return register


Restart = Callable[["Namespace", bool], None]  # takes a device down (False), or up again
_restarts: dict[str, Restart] = {}


def restart(*names: str) -> Callable[[Restart], Restart]:
    """Registers how devices of these names are taken down and up again, while their links stay up."""

    def register(switch: Restart) -> Restart:
        _restarts.update(dict.fromkeys(names, switch))
        return switch

    return register


def restarts() -> dict[str, Restart]:
    """How devices are restarted, by the names of those that can be."""
    devices()
    return dict(sorted(_restarts.items()))


def devices() -> dict[str, Builder]:
    """Every device there is, by name."""
    for module in iter_modules(__path__, f"{__name__}."):
        import_module(module.name)
    return dict(sorted(_builders.items()))
