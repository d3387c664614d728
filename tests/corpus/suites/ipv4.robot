*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation       What an IPv4 router does with headers, errors and its own frames.
Library             TesterLibrary    testbed=${TESTBED}
Suite Setup         Open Tester
Suite Teardown      Close Tester
Test Teardown       Stop Query


*** Variables ***
${TESTBED}          embedded/l3-router
${RATE}             400 pps
${DURATION}         500 ms
${SHORT}            Ether / IP / UDP
${MARKED}           Ether / IP(tos=186) / UDP    # DSCP 46, ECT(0)


*** Test Cases ***
The TTL Is Decremented By One
    [Documentation]    RFC 1812 section 5.3.1.
    Field Arrives    IP.ttl    sent - 1    ${SHORT}

The Traffic Class Arrives
    [Documentation]    DSCP (RFC 2474) and ECN (RFC 3168).
    Field Arrives    IP.tos    sent    ${MARKED}

The Source Address Is That Of The Router
    [Documentation]    RFC 1812 section 5.2.1: the frame is the router's own.
    Create Stream    north    frame_size=128    rate=${RATE}
    Set Expected Field    north    Ether.src    !=    sent
    Measure Loss    north    duration=${DURATION}
    Verify Header Field    north    Ether.src    !=    sent

A Datagram Without Checksum Stays So
    [Documentation]    RFC 768: zero says that the sender computed none.
    Field Arrives    UDP.chksum    sent    Ether / IP / UDP(chksum=0)

Text Arrives As Sent
    [Documentation]    RFC 1812 section 5.2.1: a router does not look at the payload.
    Create Stream    north    frame_size=256    rate=${RATE}    headers=Ether / IP / UDP(sport=5060, dport=5060)
    Set Payload    north    text    INVITE sip:a@198.18.1.2 SIP/2.0
    Measure Loss    north    duration=${DURATION}
    Verify Loss Below    0

Each Length Arrives
    [Documentation]    RFC 2544 section 9 has powers of two alone.
    FOR    ${size}    IN RANGE    64    68
        Create Stream    bytes${size}    frame_size=${size}    rate=100 pps
    END
    Measure Loss    duration=${DURATION}
    FOR    ${size}    IN RANGE    64    68
        Get Frame Loss    bytes${size}    ==    0
    END

The Last Hop Is Not Forwarded
    [Documentation]    RFC 1812 section 5.3.1: a packet with TTL 1 is not forwarded.
    Expire
    Get Query Result    forwarded    count    ==    0

The Last Hop Is Reported
    [Documentation]    RFC 1812 section 5.3.1: time exceeded, at least some.
    Expire
    Get Query Result    reports    count    >    0

Errors Quote The Packet As It Came
    [Documentation]    RFC 1812 section 4.3.2.3. The quoted header has the bytes of the frame that was sent.
    Create Stream    expired    frame_size=128    rate=${RATE}    signature=False
    ...    headers=Ether / IP(ttl=1, id=7) / UDP
    ${checksum} =    Get Checksum    expired
    Start Capture    reports    port=p1    direction=received    filter=icmp[0] == 11
    Start Capture    wrong quotes    port=p1    direction=received
    ...    filter=icmp[0] == 11 and (icmp[16] != 1 or icmp[18:2] != ${checksum})
    Send Traffic    expired    packets=50
    Stop Capture    reports
    Stop Capture    wrong quotes
    Get Capture Statistics    reports    matched    >=    50
    Get Capture Statistics    wrong quotes    matched    ==    0

Errors Are Not About Errors
    [Documentation]    RFC 1812 section 4.3.2.7.
    Create Stream    errors    frame_size=128    rate=${RATE}    signature=False
    ...    headers=Ether / IP(ttl=1) / ICMP(type=11)
    Count Packets    reports    port=p1    filter=ICMP.type == 11
    Send Traffic    errors    packets=50
    Get Query Result    reports    count    ==    0

The Don't Fragment Bit Arrives
    [Documentation]    RFC 791, RFC 1191: a router never clears it.
    Field Arrives    IP.flags    sent    Ether / IP(flags=DF) / UDP

The Identification Arrives
    [Documentation]    RFC 6864 section 4.2: no device in between changes it.
    Field Arrives    IP.id    sent    Ether / IP(id=4660) / UDP

A Broken Header Is Not Forwarded
    [Documentation]    RFC 1812 section 5.2.2: a router verifies the checksum.
    Create Stream    broken    frame_size=128    rate=${RATE}    signature=False
    ...    headers=Ether / IP(chksum=4660) / UDP
    Is Not Forwarded    broken

A Martian Is Not Forwarded
    [Documentation]    RFC 1812 section 5.3.7: no packet comes from a loopback address.
    Create Stream    martian    frame_size=128    rate=${RATE}    signature=False
    ...    headers=Ether / IP(src=127.0.0.1) / UDP
    Is Not Forwarded    martian

ARP Is Answered For The Gateway Alone
    [Documentation]    RFC 826: nobody else's address is the router's.
    Create Stream    questions    rate=${RATE}    signature=False
    ...    headers=Ether(dst=ff:ff:ff:ff:ff:ff) / ARP(op=1, psrc=198.18.1.2, pdst=198.18.200.200)
    Count Packets    replies    port=p1    filter=ARP.psrc == 198.18.200.200
    Send Traffic    questions    packets=20
    Get Query Result    replies    count    ==    0

Padding Is Zero
    [Documentation]    RFC 894: of the router's own short frames.
    Create Stream    questions    rate=${RATE}    signature=False
    ...    headers=Ether(dst=ff:ff:ff:ff:ff:ff) / ARP(op=1, psrc=198.18.1.2, pdst=198.18.1.1)
    Start Capture    replies    port=p1    direction=received    filter=arp[6:2] == 2
    Start Capture    stale padding    port=p1    direction=received    filter=arp[6:2] == 2 and ether[42:4] != 0
    Send Traffic    questions    packets=50
    Stop Capture    replies
    Stop Capture    stale padding
    Get Capture Statistics    replies    matched    >=    50
    Get Capture Statistics    stale padding    matched    ==    0

All Fragments Arrive
    [Documentation]    RFC 1812 section 5.2.1.1: fragments are packets like others.
    Create Stream    first    rate=${RATE}    headers=Ether / IP(id=9, flags=MF) / UDP    signature=False
    Create Stream    last    rate=${RATE}    headers=Ether / IP(id=9, frag=4, proto=17)    signature=False
    Count Packets    pieces    port=p2    keys=IP.frag    filter=IP.id == 9
    Send Traffic    first    last    packets=50
    Get Query Result    pieces    value    ==    50    key=0
    Get Query Result    pieces    value    ==    50    key=4


*** Keywords ***
Get Checksum
    [Documentation]    The IPv4 checksum of the frames of a stream, as they leave.
    [Arguments]    ${name}
    Start Capture    sent    port=p1    direction=transmitted    streams=${name}    frames=1
    Send Traffic    ${name}    packets=1
    ${file} =    Stop Capture    sent
    ${checksum} =    Evaluate    scapy.utils.rdpcap($file)[0]['IP'].chksum    modules=scapy.utils
    RETURN    ${checksum}

Field Arrives
    [Documentation]    A field of each frame is as expected.
    [Arguments]    ${field}    ${expected}    ${headers}
    Create Stream    north    frame_size=128    rate=${RATE}    headers=${headers}
    Set Expected Field    north    ${field}    ==    ${expected}
    Measure Loss    north    duration=${DURATION}
    Verify Header Field    north    ${field}    ==    ${expected}

Is Not Forwarded
    [Documentation]    No packet of a stream leaves the router.
    [Arguments]    ${name}
    Count Packets    forwarded    port=p2    filter=UDP.dport == 7
    Send Traffic    ${name}    packets=50
    Get Query Result    forwarded    count    ==    0

Expire
    [Documentation]    Sends packets with TTL 1, and counts them and their reports.
    Create Stream    expired    frame_size=128    rate=${RATE}    headers=Ether / IP(ttl=1) / UDP    signature=False
    Count Packets    forwarded    port=p2    filter=UDP.dport == 7
    Count Packets    reports    port=p1    filter=ICMP.type == 11
    Send Traffic    expired    packets=50
