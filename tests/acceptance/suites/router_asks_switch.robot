*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       A router of IPv6 behind a switch that does not exist asks for who is to get its packets.
Library             TesterLibrary    testbed=${TESTBED}
Suite Setup         Open Tester
Suite Teardown      Close Tester


*** Variables ***
${TESTBED}      tofino-fake


*** Test Cases ***
Its Neighbours Answer
    [Documentation]    First who asks a group, then, when it doubts after 2 seconds, who asks the neighbour itself.
    Create Stream    north    frame_size=128    rate=100 pps
    Create Stream    south    tx=p2    rx=p1    frame_size=128    rate=100 pps
    Measure Loss    duration=6 s
    Verify Loss Below    0
