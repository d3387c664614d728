*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       What a switch does with VLAN tags.
Library             TesterLibrary    testbed=${TESTBED}
Suite Setup         Open Tester
Suite Teardown      Close Tester


*** Variables ***
${TESTBED}          embedded/l2-bridge
${RATE}             400 pps
${DURATION}         500 ms


*** Test Cases ***
The Priority Arrives
    [Documentation]    IEEE 802.1Q section 6.9: a trunk keeps the priority of a tagged frame.
    Create Stream    north    frame_size=128    rate=${RATE}    headers=Ether / Dot1Q(vlan=100, prio=5) / IP / UDP
    Set Expected Field    north    VLAN.prio    ==    sent
    Measure Loss    north    duration=${DURATION}
    Verify Header Field    north    VLAN.prio    ==    sent
