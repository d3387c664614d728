# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a device of the corpus in the namespace of an embedded one, until its input ends.

    python -m tests.corpus.forwarder '{"bug": "DSCP lost", "ports": [
        {"name": "p1", "gateway": "198.18.1.1/16", "station": "198.18.1.2", "mac": "02:00:00:00:00:01"}
    ]}'

prints a line when it begins. An empty bug is none; ports without gateways are those of a switch.
"""

from __future__ import annotations

import json
import sys

from .bugs import devices
from .router import Port, Router, Switch


def main() -> None:
    wish = json.loads(sys.argv[1])
    ports = {port["name"]: Port(**port) for port in wish["ports"]}
    kind = Router if any(port.gateway for port in ports.values()) else Switch
    device = devices(kind)[wish["bug"]] if wish["bug"] else kind
    device(ports).run()


if __name__ == "__main__":
    main()
