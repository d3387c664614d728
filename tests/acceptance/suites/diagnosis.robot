*** Settings ***
Documentation     Rules of nftables are planted in a Linux bridge, and Diagnose Loss has to name what they drop.
...               A rule counts the bytes of a packet: 18 fewer than those of its frame.

Library           TesterLibrary    testbed=${TESTBED}

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Build A Wall
Test Teardown     Run In Device    nft delete table netdev wall


*** Variables ***
${TESTBED}    embedded/l2-bridge


*** Test Cases ***
Sizes
    [Documentation]    Frames of a range of sizes.
    Run In Device    nft add rule netdev wall north meta length 1006-1261 drop
    Create Stream    mixed    tx=p1    rx=p2    frame_size=64:7 570:4 1100:2 1518:1    rate=2 kpps
    The Cause Is    each frame of 1,024 to 1,279 bytes    mixed

An MTU That Is Off By Four
    [Documentation]    Longer frames than those that pass, where the stream has one size.
    Run In Device    nft add rule netdev wall north meta length > 1496 drop
    Create Stream    long    tx=p1    rx=p2    frame_size=1518    rate=2 kpps
    The Cause Is    each frame of 1,515 bytes or more (longest sent: 1,518)    long

A DSCP
    [Documentation]    Frames of one DSCP: four values of the field.
    Run In Device    nft add rule netdev wall north ip dscp 46 drop
    Create Stream    voice    tx=p1    rx=p2    frame_size=128    rate=2 kpps
    Set Field Values    voice    IP.tos    0    184    40
    The Cause Is    each frame with IP.tos 184 to 187    voice

Ports
    [Documentation]    Frames to one of eight ports.
    Run In Device    nft add rule netdev wall north udp dport 5001 drop
    Create Stream    many    tx=p1    rx=p2    frame_size=128    rate=2 kpps
    Set Field Sweep    many    UDP.dport    5000    5007
    The Cause Is    each frame with UDP.dport 5001    many

One Direction
    [Documentation]    Frames that come from one port.
    Run In Device    nft add rule netdev wall south udp dport 7 drop
    Create Stream    there    tx=p1    rx=p2    frame_size=128    rate=2 kpps
    Create Stream    back    tx=p2    rx=p1    frame_size=128    rate=2 kpps
    The Cause Is    each frame from p2 to p1 with UDP.dport 7    there    back


*** Keywords ***
Build A Wall
    [Documentation]    Rules before the bridge, for each port.
    Run In Device    nft add table netdev wall
    Run In Device    nft 'add chain netdev wall north { type filter hook ingress device p1 priority 0; }'
    Run In Device    nft 'add chain netdev wall south { type filter hook ingress device p2 priority 0; }'

The Cause Is
    [Documentation]    Passes if the cause is named within a minute.
    [Arguments]    ${cause}    @{streams}
    ${why} =    Diagnose Loss    @{streams}    budget=60 s
    Should Start With    ${why.sentence}    Loses ${cause};
    Should End With    ${why.sentence}    confirmed 3 times
    Should Be True    ${why.took.seconds} < 60
