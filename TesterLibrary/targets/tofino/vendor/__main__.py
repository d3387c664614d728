# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Serves the switch that the arguments name."""

from __future__ import annotations

import sys

from .serving import serve
from .switch import VendorSwitch

if __name__ == "__main__":
    switch = VendorSwitch(*sys.argv[1:])
    try:
        serve(switch)
    finally:
        switch.close()
