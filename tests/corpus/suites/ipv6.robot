*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       What an IPv6 router does with headers, and how it answers neighbour solicitations.
Library             TesterLibrary    testbed=${TESTBED}
Suite Setup         Open Tester
Suite Teardown      Close Tester


*** Variables ***
${TESTBED}          embedded/l3-router-ipv6
${RATE}             400 pps
${DURATION}         500 ms
${GATEWAY}          2001:2:0:1::1
${STATION}          2001:2:0:1::2
${SEGMENTS}         2001:2:0:2::2, ${GATEWAY}    # the last one first
${ROUTED}           Ether / IPv6(dst=${GATEWAY}) / SRv6(addresses=[${SEGMENTS}], segleft=1, lastentry=1) / UDP
${NEIGHBOUR}        2001:2:0:1::99
${GROUP}            ff02::1:ff00:1
${ADVERTISED}       icmp6 and ip6[40] == 136


*** Test Cases ***
The Hop Limit Is Decremented By One
    [Documentation]    RFC 8200 section 3.
    Field Arrives    IPv6.hlim    sent - 1

The Traffic Class Arrives
    [Documentation]    RFC 8200 section 7.
    Field Arrives    IPv6.tc    sent

The Flow Label Arrives
    [Documentation]    RFC 6437 section 3: forwarding nodes leave it unchanged.
    Field Arrives    IPv6.fl    sent

The Segment Routing Header Arrives
    [Documentation]    RFC 8754 section 4.3.1.1: a segment endpoint changes Segments Left and the destination.
    Create Stream    north    frame_size=256    rate=${RATE}    headers=${ROUTED}    forwarding=TRANSLATED
    Set Expected Field    north    SRv6.segleft    ==    sent - 1
    Set Expected Field    north    SRv6.lastentry    ==    sent
    Measure Loss    north    duration=${DURATION}
    Verify Header Field    north    SRv6.segleft    ==    sent - 1
    Verify Header Field    north    SRv6.lastentry    ==    sent

Multicast Solicitations Are Answered With An Address
    [Documentation]    RFC 4861 section 4.4: the target link-layer address is required in these answers.
    Solicit    ${GROUP}    wrong=without an address    filter=ip6[4:2] < 32    # no option behind it

Answers Have The Solicited Flag
    [Documentation]    RFC 4861 section 7.2.4.
    Solicit    ${GROUP}    wrong=without the S flag    filter=ip6[44] & 0x40 == 0

Answers Have The Override Flag
    [Documentation]    RFC 4861 section 7.2.4: set, as the address is neither anycast nor proxied.
    Solicit    ${GROUP}    wrong=without the O flag    filter=ip6[44] & 0x20 == 0

Unicast Solicitations Are Answered
    [Documentation]    RFC 4861 section 7.3: neighbour unreachability detection.
    Solicit    ${GATEWAY}    wrong=without the S flag    filter=ip6[44] & 0x40 == 0

Solicitations From Afar Are Not Answered
    [Documentation]    RFC 4861 section 7.1.1: a hop limit below 255 has passed a router.
    Create Stream    questions    frame_size=90    rate=${RATE}    signature=False
    ...    headers=Ether / IPv6(src=${NEIGHBOUR}, dst=${GROUP}, hlim=64) / ICMPv6Solicitation(tgt=${GATEWAY})
    Start Capture    answers    port=p1    direction=received    filter=${ADVERTISED} and ip6 dst host ${NEIGHBOUR}
    Send Traffic    questions    packets=20
    Stop Capture    answers
    Get Capture Statistics    answers    matched    ==    0


*** Keywords ***
Field Arrives
    [Documentation]    A field of each frame is as expected.
    [Arguments]    ${field}    ${expected}
    Create Stream    north    frame_size=128    rate=${RATE}    headers=Ether / IPv6(tc=186, fl=74565) / UDP
    Set Expected Field    north    ${field}    ==    ${expected}
    Measure Loss    north    duration=${DURATION}
    Verify Header Field    north    ${field}    ==    ${expected}

Solicit
    [Documentation]    Asks for the gateway's MAC address, and counts the answers and those that are wrong. The tester
    ...    asks by itself, too, by multicast.
    [Arguments]    ${destination}    ${wrong}    ${filter}
    Create Stream    questions    frame_size=90    rate=${RATE}    signature=False
    ...    headers=Ether / IPv6(src=${STATION}, dst=${destination}) / ICMPv6Solicitation(tgt=${GATEWAY})
    Start Capture    advertisements    port=p1    direction=received    filter=${ADVERTISED}
    Start Capture    ${wrong}    port=p1    direction=received    filter=${ADVERTISED} and ${filter}
    Send Traffic    questions    packets=20
    Stop Capture    advertisements
    Stop Capture    ${wrong}
    Get Capture Statistics    advertisements    matched    >=    20
    Get Capture Statistics    ${wrong}    matched    ==    0
