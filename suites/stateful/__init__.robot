*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       Devices that look at connections: balancers, gateways, and what a SYN flood does to them.
Name                Stateful
Test Tags           stateful
