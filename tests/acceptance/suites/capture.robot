*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Captures beside trials through a bridge, and what is refused of them.

Library           OperatingSystem
Library           TesterLibrary    testbed=embedded/l2-bridge

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Stream    north    tx=p1    rx=p2    frame_size=128    rate=1 kpps


*** Test Cases ***
A Trial
    [Documentation]    Each frame where it leaves and where it arrives.
    Start Capture    trial    streams=north
    Start Capture    arrivals    port=p2    direction=received    filter=udp and greater 100    snap_length=64
    Send Burst    north    packets=200
    Stop Capture    trial
    Get Capture Statistics    trial    captured    ==    400
    Get Capture Statistics    trial    dropped    ==    0
    Stop Capture    arrivals
    ${counted} =    Get Capture Statistics    arrivals
    Should Be Equal As Integers    ${counted.matched}    200
    Should Be Equal As Integers    ${counted.ports[0].seen}    ${counted.seen}

The Last Frames
    [Documentation]    A ring, while traffic runs.
    ${name} =    Start Capture    keep=last    frames=50    filter=udp
    Start Traffic    north
    Sleep    0.3 s
    ${file} =    Stop Capture
    Stop Traffic
    Get Capture Statistics    ${name}    captured    ==    50
    Get Capture Statistics    ${name}    matched    >    50
    File Should Exist    ${file}

The First Frames Are Replayed
    [Documentation]    What was captured can be sent again.
    Start Capture    first    port=p1    direction=transmitted    streams=north    frames=20
    Send Burst    north    packets=100
    ${file} =    Stop Capture    first
    Get Capture Statistics    first    captured    ==    20
    Create Replay Stream    again    ${file}    tx=p1    rx=p2    rate=1 kpps
    ${trial} =    Send Traffic    again
    Should Be Equal As Integers    ${trial.sent}    20

Mistakes
    [Documentation]    Each says what was given and what is allowed, and starts nothing.
    Run Keyword And Expect Error    *"odd"*filter*syntax error*    Start Capture    odd    filter=udp prot 53
    Run Keyword And Expect Error    *no port*p9*p1*p2*    Start Capture    odd    port=p9
    Run Keyword And Expect Error    *no stream 'south'*north*    Start Capture    odd    streams=south
    Run Keyword And Expect Error    *at least 1*    Start Capture    odd    frames=0
    Run Keyword And Expect Error    *no running capture 'odd'*    Stop Capture    odd

Left Running
    [Documentation]    Written when the tester is closed.
    Start Capture    forgotten
    Send Burst    north    packets=10
