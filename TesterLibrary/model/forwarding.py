# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The ways in which devices forward frames, and so the headers that arrive of those that were sent."""

from __future__ import annotations

from enum import Enum


class Forwarding(Enum):
    """How a device forwards frames, and so the changes of headers that it may make.

    Each may add and remove VLAN tags and padding.
    """

    BRIDGED = "bridged"  # nothing else
    # Change MAC addresses, VLANs, hop counts and traffic classes.
    ROUTED = "routed"
    # Change, add and remove headers, as NAT, load balancers and gateways of tunnels do.
    TRANSLATED = "translated"
