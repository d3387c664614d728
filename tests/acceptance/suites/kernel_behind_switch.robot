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

A Firewall Is Seen
    [Documentation]    The device is real: what its kernel drops does not arrive.
    Create Stream    north    rate=300 pps    headers=Ether / IP / UDP(dport=7)
    Create Stream    south    tx=p2    rx=p1    rate=300 pps    headers=Ether / IP / UDP(dport=7)
    Run In Device    nft add table netdev wall
    Run In Device    nft 'add chain netdev wall entry { type filter hook ingress device p1 priority 0; }'
    Run In Device    nft add rule netdev wall entry udp dport 7 counter drop
    Measure Loss    duration=1 s
    Get Frame Loss    north    ==    300
    Get Frame Loss    south    ==    0
    ${said} =    Run In Device    nft list table netdev wall
    Should Contain    ${said.stdout}    counter packets 300

A Link That Goes Down
    [Documentation]    The device's end of a cable is down for a time: INCONCLUSIVE, for nobody knows what it would have
    ...    forwarded.
    Create Stream    north    rate=300 pps
    Start Traffic    north
    Run In Device    ip link set p2 down
    Run In Device    ip link set p2 up
    Sleep    0.3 s
    Stop Traffic
    Verify Loss Below    0
