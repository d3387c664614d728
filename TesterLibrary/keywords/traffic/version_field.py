# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for the bit of frames that tells the intervals of monitoring apart."""

from __future__ import annotations

from robot.api.deco import keyword

from ...model.editor import FieldPath
from ...model.stream import VersionField
from ...running.suite import Suite
from .._component import component


@component
class VersionFields:
    """The bit that says in which interval a frame was sent."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite

    @keyword(tags=["stream"])
    def set_version_field(self, name: str, field: FieldPath | None = None, bit: int | None = None) -> None:
        """Chooses the bit of each frame that says in which interval it was sent (norma §6.1).

        | =Argument= | =Meaning= |
        | ``name`` | the name of a stream that is not sending |
        | ``field`` | a field of its headers; by default the library chooses |
        | ``bit`` | a bit of the field, counted from 0, the lowest; the highest by default |

        By default it is the highest bit of the IPv4 identification or of the IPv6 flow label. Choose another
        bit if the device overwrites these fields, or if frames have neither: any bit that is 0 in the headers
        and outside all fields that change. Checksums follow it. Refused are lengths, checksums, and fields
        that define the next header.

        | `Set Version Field` | north | IP.tos | bit=2 |
        | `Set Version Field` | south | VLAN.dei |
        """
        chosen = VersionField(field, bit) if field else None
        self._suite.change(name, version=chosen)
