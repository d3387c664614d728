# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Holds the lease of a tester for a user of the service, so that the tester itself refuses all others.

What is sent under it stops when it is released, and soon after the service has died.
"""

from __future__ import annotations

from ..errors import LeaseError, TesterLibraryError
from ..model.units.units import Duration
from ..targets.dead_clients import clear_up
from ..targets.engine import leases
from ..targets.engine.client import EngineTarget
from ..targets.parts import LeaseTerms
from .checking import look_at
from .config import ServedPlace


class Keeper:
    """The lease of one tester. Its calls wait for the tester: no event loop may make them."""

    def __init__(self, target: EngineTarget, address: str) -> None:
        self._target = target
        self._address = address

    @classmethod
    def acquire(cls, place: ServedPlace, address: str, owner: str, ttl: Duration, *, force: bool) -> Keeper:
        """Acquires the lease of a place's tester for an owner, and looks at the tester.

        Raises:
            TesterLibraryError: somebody who does not use this service has it, nobody answers, or the tester
                is not fit. Then nobody has it for us.
        """
        target = EngineTarget.connect(address, certificates=place.testbed.tester.certificates)
        try:
            if target.leases.is_free():
                clear_up(target)  # what a dead client has left must keep nobody from the tester
            try:
                target.leases.acquire(LeaseTerms(owner, ttl, force))
            except LeaseError as error:
                raise TesterLibraryError(f"somebody uses it beside this service: {error.reason}") from None
            problem = "" if place.check == "none" else look_at(target, place.testbed, place.cables)
            if problem:
                raise TesterLibraryError(problem)
        except BaseException:
            target.close()
            raise
        return cls(target, address)

    @classmethod
    def resume(cls, place: ServedPlace, address: str, token: str) -> Keeper:
        """Goes on with the lease of an earlier process. TesterLibraryError if it has ended."""
        target = EngineTarget.connect(address, certificates=place.testbed.tester.certificates)
        try:
            target.leases.keep(token)
        except BaseException:
            target.close()
            raise
        return cls(target, address)

    @property
    def is_kept(self) -> bool:
        """Whether the tester still has it, as far as is known."""
        return self._target.leases.is_kept

    @property
    def token(self) -> str:
        """The rules of the tester for those who use it."""
        return self._target.leases.token

    @property
    def variable(self) -> tuple[str, str]:
        """The variable of the environment that gives the lease to a process."""
        return leases.VARIABLE, leases.variable(self._address, self.token)

    def clear_up(self) -> None:
        """Removes what clients that have died left in the tester. TesterLibraryError if it is gone."""
        clear_up(self._target)

    def release(self) -> None:
        """Ends the lease, and all that was sent under it. Never raises."""
        self._target.close()
