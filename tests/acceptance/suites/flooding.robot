*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     A bridge that does not snoop sends each group to every port.

Library           TesterLibrary    testbed=${TESTBED}

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Test Cases ***
A Flooded Group Is A Leak
    [Documentation]    With the names of the ports.
    Create Multicast Stream    video    p1    p2    groups=239.1.1.1    frame_size=512    rate=50 %
    Join Group    p2    239.1.1.1
    Measure Loss    video    duration=500 ms
    Verify No Multicast Leak

Delays Of A Flooded Group Are Not Known
    [Documentation]    Its frames arrive before the port has joined: that is a leak, too.
    Create Multicast Stream    video    p1    p2    groups=239.1.1.2    rate=1 kpps
    ${result} =    Measure Group Delays    video    cycles=1    lead=200 ms    silence=1 s
    Run Keyword And Expect Error
    ...    *at p3, p4, * of them before the port joined, required none
    ...    Verify No Multicast Leak
    ...    ${result}
    Verify Group Join Delay Below    10 s    ${result}
