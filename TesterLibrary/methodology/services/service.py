# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A service: its bandwidth profile, and the loads that its configuration is tested with."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from ...errors import PlanError
from ...model.units.units import Rate, RateUnit, Ratio

_QUARTERS = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1))  # of the CIR
_BEYOND = Fraction(5, 4)  # of the EIR, or of the CIR where the EIR is small
_SMALL = Fraction(1, 5)  # part of the CIR


@dataclass(frozen=True)
class Service:
    """The bandwidth profile of a service. Rates count bits of frames, FCS included."""

    name: str  # of its stream; where colours are known, of the one of green frames
    cir: Rate
    eir: Rate | None = None  # None: no excess is forwarded
    yellow: str | None = None  # the stream of yellow frames; None: the service is not aware of colours

    @property
    def streams(self) -> tuple[str, ...]:
        """The names of its streams, that of green frames first."""
        return (self.name,) if self.yellow is None else (self.name, self.yellow)

    @property
    def most(self) -> Fraction:
        """CIR and EIR together, in bits each second."""
        return self.cir.value + (self.eir.value if self.eir else 0)

    def validate(self) -> None:
        """Raises PlanError, which names the service, for a profile that makes no sense."""
        if self.yellow is not None and self.eir is None:
            raise PlanError(
                f"service {self.name!r}: yellow frames are those of the excess; give eir=, such as 2 Mbps"
            )
        if self.yellow == self.name:
            raise PlanError(
                f"service {self.name!r}: yellow frames need a stream of their own, such as of another DSCP"
            )

    def __str__(self) -> str:
        eir = f" and EIR {self.eir}" if self.eir else ""
        return f"{self.name}, CIR {self.cir}{eir}{', aware of colours' if self.yellow else ''}"


class Purpose(Enum):
    """The subject of a step of the configuration test."""

    COMMITTED = "committed"  # all frames are within the CIR
    EXCESS = "excess"  # CIR + EIR
    POLICING = "policing"  # more than both


@dataclass(frozen=True)
class Load:
    """The rates that one step offers."""

    purpose: Purpose
    title: str  # "75 % of its CIR"
    green: Rate
    yellow: Rate | None = None  # None: no yellow frames are sent

    @property
    def offered(self) -> Fraction:
        """Bits each second."""
        return self.green.value + (self.yellow.value if self.yellow else 0)

    def of(self, service: Service) -> dict[str, Rate]:
        """The rate of each stream that is sent."""
        rates = {service.name: self.green}
        if service.yellow is not None and self.yellow is not None:
            rates[service.yellow] = self.yellow
        return rates


def loads_of(service: Service, *, policing: bool = True) -> tuple[Load, ...]:
    """The loads of the configuration test, in their order."""
    cir, eir = service.cir.value, service.eir.value if service.eir else Fraction(0)
    loads = [
        Load(Purpose.COMMITTED, f"{Ratio(part)} of its CIR", rate_of_bits(part * cir)) for part in _QUARTERS
    ]
    if eir:
        loads.append(_load(service, Purpose.EXCESS, "CIR + EIR", cir, eir))
    if policing and eir >= _SMALL * cir:
        loads.append(_load(service, Purpose.POLICING, "CIR + 125 % of EIR", cir, _BEYOND * eir))
    elif policing:
        title = "125 % of CIR + EIR" if eir else "125 % of CIR"
        loads.append(_load(service, Purpose.POLICING, title, _BEYOND * cir, eir))
    return tuple(loads)


def _load(service: Service, purpose: Purpose, title: str, green: Fraction, yellow: Fraction) -> Load:
    if service.yellow is None:
        return Load(purpose, title, rate_of_bits(green + yellow))
    return Load(purpose, title, rate_of_bits(green), rate_of_bits(yellow))


def rate_of_bits(value: Fraction) -> Rate:
    """A rate of bits of frames each second."""
    return Rate(value, RateUnit.L2)
