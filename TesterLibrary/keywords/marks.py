# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords for what is in frames so that they can be measured: signature and version."""

from __future__ import annotations

from robot.api.deco import keyword

from ..model.editor import FieldPath
from ..model.version import VersionField
from ..session import Session
from ._component import component


@component
class Marks:
    """Signature and version of the frames of streams."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @keyword(tags=["stream"])
    def set_version_field(self, stream: str, field: FieldPath | None = None, bit: int | None = None) -> None:
        """Chooses the bit by which frames say in which interval they were sent (norma §6.1).

        | =Argument= | =Meaning= |
        | ``stream`` | the name of a stream that is not sending |
        | ``field`` | a field of its headers; the library chooses again, if it is left out |
        | ``bit`` | of the field, from the lowest, which is 0; the highest, if it is left out |

        The library takes the highest bit of the IPv4 identification or of the IPv6 flow label. Choose another
        one where the device writes over these, or where frames have neither: any bit that is 0 in the headers
        and that no field which changes has. Checksums follow it. Refused are lengths, checksums, and what
        tells the headers that follow.

        | `Set Version Field` | north | IP.tos | bit=2 |
        | `Set Version Field` | south | Dot1Q.dei |
        """
        chosen = VersionField(field, bit) if field else None
        self._session.change(stream, version=chosen)

    @keyword(tags=["stream"])
    def send_without_signature(self, stream: str) -> None:
        """Leaves the payload of a stream's frames to their end as it is: nothing is written into it.

        | =Argument= | =Meaning= |
        | ``stream`` | the name of a stream that is not sending |

        Its frames are known by what their headers have in common, and cannot be told from each other. So
        loss, throughput, intervals and `Measure Blind Delay` are there; latency of single frames, order,
        outages and flows are not. Two such streams that arrive on one port differ in an address, a port or
        another field that stays the same in all frames, or are refused. Devices may write MAC addresses where
        they route, traffic classes, hop counts, IPv4 identifications and checksums.

        | `Set Payload` | north | file | call.bin |
        | `Send Without Signature` | north |
        | `Measure Blind Delay` | north |
        """
        self._session.change(stream, signature=False)
