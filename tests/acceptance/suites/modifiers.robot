*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       Frames beside those of a test (RFC 2544 section 11), as they leave the port.
Library             TesterLibrary    testbed=embedded/l3-router
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Setup          Create Stream    north    frame_size=128    rate=5 kpps


*** Test Cases ***
They Leave As The RFC Says
    [Documentation]    In 1.2 s: a broadcast for each hundred frames, two queries, an update.
    Set Modifiers    broadcast    management    routing
    Start Capture    broadcasts    port=p1    direction=TRANSMITTED    filter=ether broadcast and udp dst port 9
    Start Capture    queries    port=p1    direction=TRANSMITTED    filter=dst 198.18.1.1 and udp dst port 161
    Start Capture    updates    port=p1    direction=TRANSMITTED    filter=dst 224.0.0.9 and udp dst port 520
    ${trial} =    Measure Loss    duration=1200 ms
    Verify Loss Below    0
    Captured    broadcasts    ${{ round($trial.sent / 100) }}
    Captured    queries    2
    Captured    updates    1
    Should End With    ${trial.traffic}    a management query each second, routing updates, 1 flow

They End With The Test
    [Documentation]    No other test has them.
    ${trial} =    Measure Loss    duration=100 ms
    Verify Loss Below    0
    Should Be Equal    ${trial.traffic}    evenly spaced, 1 flow


*** Keywords ***
Captured
    [Documentation]    Ends a capture; so many frames were in it.
    [Arguments]    ${capture}    ${frames}
    Stop Capture    ${capture}
    Get Capture Statistics    ${capture}    MATCHED    ==    ${frames}
