*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       Streams of a switch that does not exist through a device that does.
Library             TesterLibrary    testbed=${TESTBED}
Suite Setup         Open Tester
Suite Teardown      Close Tester


*** Variables ***
${TESTBED}      tofino-fake


*** Test Cases ***
Both Directions
    [Documentation]    What a switch sends of several sizes is what the device forwards.
    Create Stream    north    frame_size=imix    rate=600 pps
    Create Stream    south    tx=p2    rx=p1    frame_size=128    rate=300 pps
    Measure Loss    duration=1 s
    Verify Loss Below    0
    Verify Delay Below    100 ms
