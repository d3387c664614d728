*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Captures, and what is found out of them: the same on every tester.

Library           OperatingSystem
Library           TesterLibrary    testbed=${TESTBED}

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Stream    north    tx=p1    rx=p2    frame_size=128    rate=500 pps


*** Variables ***
${TESTBED}    embedded/l2-bridge


*** Test Cases ***
A Trial
    [Documentation]    Each frame where it leaves and where it arrives.
    Start Capture    trial    streams=north
    Start Capture    arrivals    port=p2    direction=received    filter=udp and greater 100    snap_length=64
    Send Burst    north    packets=200
    ${file} =    Stop Capture    trial
    Get Capture Statistics    trial    captured    ==    400
    Get Capture Statistics    trial    dropped    ==    0
    Stop Capture    arrivals
    ${counted} =    Get Capture Statistics    arrivals
    Should Be Equal As Integers    ${counted.matched}    200
    File Should Exist    ${file}

Fields As They Arrive
    [Documentation]    A bridge changes none of them, from frame to frame.
    Set Field Sweep    north    IP.ttl    20    29
    Start Capture    all    streams=north    parquet=True
    ${trial} =    Send Burst    north    packets=100
    Should Be Equal As Integers    ${trial.received}    100
    Stop Capture    all
    Verify Header Field    north    IP.ttl    ==    sent
    Run Keyword And Expect Error    FAIL: IP.ttl of north is * in 100 of 100 captured frames*
    ...    Verify Header Field    north    IP.ttl    ==    sent - 1

Tags As They Arrive
    [Documentation]    A tag that the kernel of the device hands over beside the frame is one of the frame.
    Create Stream    tagged    tx=p1    rx=p2    frame_size=128    rate=500 pps
    ...    headers=Ether / VLAN(vlan=5, prio=3) / IP / UDP
    Count Packets    tags    port=p2    filter=VLAN.vlan == 5 and UDP.dport == 7
    Start Capture    all    streams=tagged
    Send Burst    tagged    packets=100
    Stop Capture    all
    Get Query Result    tags    count    ==    100
    Verify Header Field    tagged    VLAN.prio    ==    3

The Last Frames
    [Documentation]    A ring, while traffic runs.
    Start Capture    last    keep=last    frames=50    filter=udp
    Start Traffic    north
    Sleep    0.5 s
    Stop Capture    last
    Stop Traffic
    Get Capture Statistics    last    captured    ==    50
    Get Capture Statistics    last    matched    >    50
