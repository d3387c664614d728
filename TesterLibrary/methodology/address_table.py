# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How many addresses a bridge learns, and how fast (RFC 2889 §5.7, §5.8).

Frames from so many addresses enter one port, then a frame to each of them enters another one. A frame to an
address that was not learned is flooded: a third port gets it, too. The highest number, or rate, without one
is searched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from ..errors import PlanError
from ..measurement.addresses import AddressCheck
from ..model.units.quantity import Frequency
from ..model.units.units import Duration, Ratio
from ..verdict import AT_LEAST, Verdict, assess
from .bisection import highest_passing
from .learning_window import LearningWindow
from .result import Result
from .stability import Attempt, contradiction

_ATTEMPTS = 3  # at a number or rate before it counts as too high: the machine may have lost a frame
_BLIND = "frames to an address that nobody has were seen at no other port, so nobody sees what it knows"
OnCheck = Callable[[AddressCheck], None]


class AddressMeasurer(Protocol):
    """Makes a bridge learn addresses, and looks which of them it knows."""

    @property
    def port_addresses(self) -> int:
        """Addresses of the tester's ports, which the bridge learns besides."""
        ...

    @property
    def window(self) -> LearningWindow:
        """The time in which a check has to be over."""
        ...

    def floods(self) -> bool:
        """Whether frames to addresses that nobody has arrive at other ports, too, and the tester sees it."""
        ...

    def check(
        self, addresses: int, rate: Frequency, *, fresh: bool, pause: Duration = Duration(0)
    ) -> AddressCheck:
        """Sends a frame from each of so many addresses at a rate, then one to each of them.

        `fresh`: addresses that were in no check before; else the first so many of always the same ones.
        `pause`: between the two. TargetError if the tester is broken, gone or late.
        """
        ...

    def rest(self) -> None:
        """Leaves the device alone until it has forgotten them."""
        ...


@dataclass(frozen=True)
class CapacityResult(Result):
    """The most addresses that a bridge knows at once. Both bounds rest on checks."""

    passed: int  # addresses of the highest check without flooding; 0 if there is none
    failed: int | None  # of the lowest one with it; None if the highest of the search passed
    port_addresses: int  # addresses of the tester's ports, which it knew besides
    checks: tuple[AddressCheck, ...]
    floods: bool  # frames to an unknown address were seen at other ports; if not, nobody sees what it knows
    aged: bool = False  # the search ended early: to try more would take as long as the bridge knows them
    alone: tuple[AddressCheck, ...] = ()  # with one address, for as long as those that failed
    forgets: str = ""  # that it forgot this one sooner than it was said to, or that nobody knows

    @property
    def capacity(self) -> int:
        """Addresses in its table, those of the tester's ports included; 0 if not even the lowest number."""
        return self.passed + self.port_addresses if self.passed else 0

    @property
    def unstable(self) -> str:
        """Two checks that no size of the table explains; empty if there are none."""
        return contradiction(
            [Attempt(check.addresses, check.all_known, check.doubt, str(check)) for check in self.checks]
        )

    def verdict_above(self, bound: int) -> Verdict:
        """Whether the bridge knows so many addresses at once, at least."""
        doubt = self.unstable if self.floods else _BLIND
        if not doubt and self.capacity < bound:
            if self.failed is None:
                more = "higher rates, since more would take as long as the ageing time" if self.aged else ""
                doubt = (
                    f"no more than {self.capacity:,} addresses were tried; give {more or 'a higher number'}"
                )
            elif bound < self.failed + self.port_addresses:
                doubt = (
                    f"it knew {self.capacity:,} and did not know {self.failed + self.port_addresses:,}, "
                    "and the bound lies between them; search with a finer resolution"
                    if self.passed
                    else f"no less than {self.failed + self.port_addresses:,} were tried; give a lower number"
                )
            else:
                failed = [check for check in self.checks if check.addresses == self.failed]
                doubt = _doubt(failed) or self.forgets
        return assess(
            self.capacity,
            AT_LEAST,
            bound,
            subject=f"address table of {self.title}",
            measured=self._text,
            bound=f">= {bound:,}",
            doubt=doubt,
        )

    @property
    def _text(self) -> str:
        if self.failed is not None and not self.passed:
            return f"below {self.failed + self.port_addresses:,} addresses"
        return f"{self.capacity:,} addresses"

    def __str__(self) -> str:
        limit = "no limit was found" + " within the ageing time" * self.aged
        if self.failed is not None:
            limit = f"{self.failed + self.port_addresses:,} were not all known"
        text = f"{self.title}: {self._text} at once, {limit}, {len(self.checks)} checks"
        return f"{text}, {self.unstable}" if self.unstable else text


@dataclass(frozen=True)
class AddressRateResult(Result):
    """The highest rate at which a bridge learned every address. Both bounds rest on checks."""

    addresses: int  # of each check
    passed: int  # addresses each second of the highest check without flooding; 0 if there is none
    failed: int | None  # of the lowest one with it; None if the highest of the search passed
    checks: tuple[AddressCheck, ...]
    control: AddressCheck | None  # at the lowest rate, after one failed: it shows that the table has room
    floods: bool  # frames to an unknown address were seen at other ports; if not, nobody sees what it knows

    @property
    def unstable(self) -> str:
        """Two checks that no rate of learning explains; empty if there are none."""
        return contradiction(
            [Attempt(check.rate, check.all_known, check.doubt, str(check)) for check in self.checks]
        )

    def verdict_above(self, bound: Frequency) -> Verdict:
        """Whether the bridge learns so many addresses each second, at least."""
        doubt = self.unstable if self.floods else _BLIND
        if not doubt and self.passed < bound.per_second:
            if self.failed is None:
                doubt = f"no more than {self.passed:,} addresses each second were tried; give a higher rate"
            elif bound.per_second < self.failed:
                doubt = (
                    f"it learned all at {self.passed:,}/s and not at {self.failed:,}/s, and the bound lies "
                    "between them; search with a finer resolution"
                    if self.passed
                    else f"no rate below {self.failed:,}/s was tried; give a lower one"
                )
            else:
                doubt = _doubt([check for check in self.checks if check.rate == self.failed]) or self._no_room
        return assess(
            self.passed,
            AT_LEAST,
            bound.per_second,
            subject=f"address learning rate of {self.title}",
            measured=self._text,
            bound=f">= {bound}",
            doubt=doubt,
        )

    @property
    def _no_room(self) -> str:
        if self.control is None or self.control.all_known:
            return ""
        return (
            f"afterwards it did not learn {self.addresses:,} other addresses at the lowest rate either: its "
            "table may be full, so give fewer addresses, or the time after which it forgets them"
        )

    @property
    def _text(self) -> str:
        return (
            f"below {self.failed:,}/s"
            if self.failed is not None and not self.passed
            else f"{self.passed:,}/s"
        )

    def __str__(self) -> str:
        limit = "no limit was found" if self.failed is None else f"not all at {self.failed:,}/s"
        text = f"{self.title}: learned {self.addresses:,} addresses at {self._text}, {limit}, "
        text += f"{len(self.checks)} checks"
        return f"{text}, {self.unstable}" if self.unstable else text


def find_address_capacity(
    measurer: AddressMeasurer,
    title: str,
    *,
    lowest: int,
    highest: int,
    rate: Frequency,
    resolution: Ratio = Ratio(Fraction(0)),
    on_check: OnCheck = lambda _: None,
) -> CapacityResult:
    """Searches the most addresses that a bridge knows at once, to a part of them (0: exactly).

    It ends early where more would take as long as the bridge knows them. After a number that was too high an
    address alone is left for as long as that took: a bridge that forgets it had no table that was full.

    Raises:
        PlanError: lowest is not from 1 to highest, or takes as long as that.
        TargetError: the tester is broken, gone or late.
    """
    _check_range("addresses", lowest, highest)
    measurer.window.refuse_more(lowest, rate)
    most = min(highest, measurer.window.most(rate))
    floods = measurer.floods()
    trier = _Trier(measurer, on_check)

    def known(addresses: int) -> bool:
        return trier.passes(addresses, rate, fresh=False)

    passed, failed = highest_passing(lowest, most, resolution.value, known)
    ports, checks, aged, forgets = measurer.port_addresses, tuple(trier.checks), most < highest, ""
    if failed is not None and floods:
        held_ns = max(check.held_ns for check in checks if check.addresses == failed)
        forgets = trier.forgets(Duration(held_ns), rate)
    alone = tuple(trier.checks[len(checks) :])
    return CapacityResult(title, (), passed, failed, ports, checks, floods, aged, alone, forgets)


def find_address_learning_rate(
    measurer: AddressMeasurer,
    title: str,
    *,
    addresses: int,
    lowest: int,
    highest: int,
    resolution: Ratio = Ratio(Fraction(1, 50)),
    on_check: OnCheck = lambda _: None,
) -> AddressRateResult:
    """Searches the highest rate at which a bridge learns so many addresses that it does not know yet.

    Raises:
        PlanError: lowest is not from 1 to highest, or there are no addresses, or so many that at the lowest
            rate it takes as long as the bridge knows them.
        TargetError: the tester is broken, gone or late.
    """
    _check_range("rates", lowest, highest)
    if addresses < 1:
        raise PlanError(f"{addresses} addresses are none to learn; give 1 or more")
    measurer.window.refuse_more(addresses, Frequency(Fraction(lowest)))
    floods = measurer.floods()
    trier = _Trier(measurer, on_check)

    def learned(rate: int) -> bool:
        return trier.passes(addresses, Frequency(Fraction(rate)), fresh=True)

    passed, failed = highest_passing(lowest, highest, resolution.value, learned)
    checks, control = tuple(trier.checks), None
    if failed is not None:
        trier.passes(addresses, Frequency(Fraction(lowest)), fresh=True)
        control = trier.checks[-1]
    return AddressRateResult(title, (), addresses, passed, failed, checks, control, floods)


class _Trier:
    """Makes checks and keeps them."""

    def __init__(self, measurer: AddressMeasurer, on_check: OnCheck) -> None:
        self._measurer, self._on_check = measurer, on_check
        self.checks: list[AddressCheck] = []

    def forgets(self, held: Duration, rate: Frequency) -> str:
        """Why a check that took so long may have found what was forgotten; empty if it did not.

        A bridge may look for old addresses now and then only, so one is left for twice that time, within the
        ageing time that it is said to have.
        """
        ageing = self._measurer.window.ageing
        pause = Duration(max(held.ns, min(2 * held.ns, ageing.ns * 9 // 10)))
        if self.passes(1, rate, fresh=True, pause=pause):
            return ""
        left = self.checks[-1]
        if left.doubt:
            return f"nobody knows whether it forgets an address within {pause}: {left.doubt}"
        if not self.passes(1, rate, fresh=True):
            return ""  # it does not learn it, or not for long enough to be asked
        return (
            f"it forgot an address that was alone within {pause}, so its ageing time is less than "
            f"ageing={ageing}: give the one that it has (Measure Ageing Time)"
        )

    def passes(self, addresses: int, rate: Frequency, *, fresh: bool, pause: Duration = Duration(0)) -> bool:
        """Whether a bridge knew all in one of a few attempts; it rests after each.

        Fresh addresses are learned at a rate: where the tester did not do its part it was another one.
        """
        for _ in range(_ATTEMPTS):
            self.checks.append(self._measurer.check(addresses, rate, fresh=fresh, pause=pause))
            self._on_check(self.checks[-1])
            self._measurer.rest()
            if self.checks[-1].all_known and not (fresh and self.checks[-1].objections):
                return True
            if self.checks[-1].flooded is None:
                return False
        return False


def _check_range(what: str, lowest: int, highest: int) -> None:
    if not 1 <= lowest <= highest:
        raise PlanError(f"{what} from {lowest:,} to {highest:,}: give 1 or more, and the lower one first")


def _doubt(failed: list[AddressCheck]) -> str:
    """Why checks that failed do not show that the device did; empty if one of them shows it."""
    doubts = [check.doubt for check in failed]
    return doubts[-1] if doubts and all(doubts) else ""
