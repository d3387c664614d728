*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       RFC 2544, Benchmarking Methodology for Network Interconnect Devices: throughput (section 26.1),
...                 latency (26.2), frame loss rate (26.3), back-to-back frames (26.4), system recovery (26.5) and reset
...                 (26.6), in one direction or in both (14), for the frame sizes of section 9.1.
Name                RFC 2544
Test Tags           rfc2544
