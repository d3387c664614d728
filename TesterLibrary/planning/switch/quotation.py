# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""ICMP errors, which quote a frame and are none of its stream (`engine/src/wire/icmp_error.cc`)."""

from __future__ import annotations

from .frame import FrameFields

_ICMP, _ICMPV6 = 1, 58
_ERRORS = frozenset((3, 4, 5, 11, 12))  # of ICMP; destination unreachable to parameter problem (RFC 792)
_INFORMATIONAL = 128  # of ICMPv6; types from here on are no errors (RFC 4443 §2.1)
_HEADER_LENGTH = 8


def is_icmp_error(frame: bytes) -> bool:
    """Whether a frame is an ICMP error, of either IP version."""
    fields = FrameFields.of(frame)
    if fields.ip is None or fields.protocol not in (_ICMP, _ICMPV6):
        return False
    length = 40 if fields.version == 6 else 4 * (frame[fields.ip] & 0xF)
    message = frame[fields.ip + length :]
    if len(message) < _HEADER_LENGTH:
        return False
    if fields.version == 6:
        return fields.protocol == _ICMPV6 and message[0] < _INFORMATIONAL
    later_fragment = int.from_bytes(frame[fields.ip + 6 : fields.ip + 8], "big") & 0x1FFF
    return fields.protocol == _ICMP and not later_fragment and message[0] in _ERRORS
