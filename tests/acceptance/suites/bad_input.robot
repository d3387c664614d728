*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Each mistake gives one message: what was given, what is allowed, where.

Library           TesterLibrary    testbed=embedded/l2-bridge

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Test Cases ***
Unknown Port
    [Documentation]    A stream leaves a port of the testbed.
    Run Keyword And Expect Error    *'p9'*p1, p2*    Create Stream    north    tx=p9

Frame Above The Port's Limit
    [Documentation]    No fragments are sent.
    Run Keyword And Expect Error    *'north'*9000*    Create Stream    north    frame_size=9000

Frame Below The Minimum
    [Documentation]    Ethernet has none that are shorter.
    Run Keyword And Expect Error    *'63' is not a frame size*from 64 to*    Create Stream    north    frame_size=63

Rate Above The Port's
    [Documentation]    What cannot be sent is refused before anything is sent.
    Run Keyword And Expect Error    *'north'*2 Gbps*1 Gbps*    Create Stream    north    rate=2 Gbps

Unknown Unit
    [Documentation]    Robot names the argument, the library what is allowed.
    Run Keyword And Expect Error
    ...    *'5 furlongs' is not a rate; write a positive number with*
    ...    Create Stream
    ...    north
    ...    rate=5 furlongs

Refused Means Nothing Has Changed
    [Documentation]    The stream keeps its rate.
    Create Stream    north    rate=1 kpps
    Run Keyword And Expect Error    *    Set Rate    north    2 Gbps
    ${trial} =    Measure Loss    north    duration=0.1 s
    Should Be Equal As Integers    ${trial.sent}    100

Unknown Stream
    [Documentation]    The message lists those there are.
    Create Stream    north
    Run Keyword And Expect Error    there is no stream 'nord'; there are north    Measure Loss    nord

Sending Already
    [Documentation]    A rate may change on the wire, a frame size may not.
    Create Stream    north    rate=1 kpps
    ${handle} =    Start Traffic    north
    Run Keyword And Expect Error    *'north' is sending*Stop Traffic*    Set Frame Size    north    512
    Set Rate    north    2 kpps
    Sleep    0.2 s
    ${trial} =    Stop Traffic    ${handle}
    Should Be Equal As Integers    ${trial.lost}    0

Nothing To Judge
    [Documentation]    What an earlier test measured is not judged.
    Run Keyword And Expect Error    nothing was measured in this test yet*    Verify Loss Below    0

Unknown Testbed
    [Documentation]    The message knows what was meant.
    [Setup]    Close Tester
    Run Keyword And Expect Error    *there is no testbed 'l2-brigde'; did you mean*    Open On    l2-brigde
    [Teardown]    Use Testbed    embedded/l2-bridge


*** Keywords ***
Open On
    [Documentation]    A testbed is looked up when the tester is opened on it.
    [Arguments]    ${testbed}
    Use Testbed    ${testbed}
    Open Tester
