*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Headers and payloads through a bridge, and what is refused of them.

Library           TesterLibrary    testbed=embedded/l2-bridge

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Test Cases ***
Tagged
    [Documentation]    Headers may be given with the stream.
    Create Stream    north    frame_size=128    rate=1 kpps    headers=Ether / Dot1Q(vlan=100) / IP / UDP
    Arrives    north

Tunnelled
    [Documentation]    Or later, with fields of any layer and another payload.
    Create Stream    north    frame_size=256    rate=1 kpps
    Set Headers    north    Ether / IP / UDP / VXLAN(vni=42) / Ether / IP(tos=0xb8) / TCP(flags=SA)
    Set Payload    north    prbs31
    Arrives    north

With A Header Of Its Own
    [Documentation]    Described by a file.
    Create Stream    north    frame_size=128    rate=1 kpps
    Set Headers    north    Ether / FabricTag(id=7) / IP / UDP    definitions=example
    Set Payload    north    text    Hello
    Arrives    north

Fields As They Arrive
    [Documentation]    A bridge changes none of them, from frame to frame; TTL less one is what a router would send.
    Create Stream    north    frame_size=128    rate=1 kpps    headers=Ether / Dot1Q(vlan=100) / IP / UDP
    Set Field Sweep    north    IP.ttl    20    29
    Start Capture    all    streams=north
    Arrives    north
    Stop Capture    all
    Verify Header Field    north    IP.ttl    ==    sent
    Verify Header Field    north    VLAN.vlan    ==    100    capture=all
    Run Keyword And Expect Error    FAIL: IP.ttl of north is * in 500 of 500 captured frames*
    ...    Verify Header Field    north    IP.ttl    ==    sent - 1

Fields Of All Frames
    [Documentation]    What is expected before sending is compared in each frame, and no capture is needed.
    Create Stream    north    frame_size=128    rate=1 kpps    headers=Ether / Dot1Q(vlan=100) / IP / UDP
    Set Field Sweep    north    IP.ttl    20    29
    Set Expected Field    north    IP.ttl    ==    sent
    Set Expected Field    north    IP.ttl    <    29
    Arrives    north
    Verify Header Field    north    IP.ttl    ==    sent
    Run Keyword And Expect Error    FAIL: IP.ttl of north is 29 (sent 29) in 50 of 500 frames, first in frame 9,*
    ...    Verify Header Field    north    IP.ttl    <    29

Refused Means Nothing Has Changed
    [Documentation]    Each mistake names stream and field; the stream goes on as it was.
    Create Stream    north    frame_size=128    rate=1 kpps    headers=Ether / IPv6 / UDP
    Refused    *'north': Dot1Q: vlan=4096: it takes 0 to 4095 (12 bits)    Ether / Dot1Q(vlan=4096) / IP
    Refused    *'north': there is no header 'Udp' (did you mean 'UDP'?)*    Ether / IP / Udp
    Refused    *'north': IP has no field 'dest'*It has version, ihl*    Ether / IP(dest=10.0.0.1)
    Refused    *'north': a frame size of 128 bytes is too short for*    Ether / IP / UDP / VXLAN / Ether / IPv6 / TCP
    Refused    *is no header stack: at ')' (character 15) there should be '='*    Ether / IP(ttl)
    Run Keyword And Expect Error    *'north'*72 bytes (text)*1 to 46*    Set Payload    north    text    ${{'x' * 72}}
    Arrives    north


*** Keywords ***
Arrives
    [Documentation]    Every frame is counted on the other side.
    [Arguments]    ${stream}
    ${trial} =    Measure Loss    ${stream}    duration=0.5 s
    Should Be Equal As Integers    ${trial.received}    500
    Verify Loss Below    0

Refused
    [Documentation]    The message for a stack.
    [Arguments]    ${message}    ${headers}
    Run Keyword And Expect Error    ${message}    Set Headers    north    ${headers}
