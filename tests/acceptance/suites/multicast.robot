*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     RFC 3918 on a bridge whose truth is known: it forwards a group at once when it is joined, and
...               asks twice, 500 ms apart, before it ceases after a leave; each port sends 7 Mbps of frames
...               without their FCS.

Library           TesterLibrary    testbed=${TESTBED}

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Variables ***
${TESTBED}    embedded/l2-multicast


*** Test Cases ***
Delays Of IGMP Version 2 Are Found
    [Documentation]    The leave delay is that of two questions.
    Create Multicast Stream    video    p1    p2    groups=239.1.1.1    rate=5 kpps
    ${result} =    Measure Group Delays    video    cycles=1    silence=1 s
    Verify Group Join Delay Below    50 ms    ${result}
    Verify Group Leave Delay Below    1.2 s    ${result}
    Run Keyword And Expect Error
    ...    FAIL: group leave delay of video at p2*
    ...    Verify Group Leave Delay Below
    ...    900 ms
    ...    ${result}
    Verify No Multicast Leak    ${result}

Delays Of IGMP Version 3 Are Found
    [Documentation]    Another port is a member all the time, so the group itself stays.
    Create Multicast Stream    video    p1    p2    groups=239.1.1.2    rate=5 kpps
    Join Group    p3    239.1.1.2    protocol=igmpv3
    ${result} =    Measure Group Delays    video    cycles=1    protocol=igmpv3    silence=1 s
    Verify Group Join Delay Below    50 ms    ${result}
    Verify Group Leave Delay Below    1.2 s    ${result}
    Verify No Multicast Leak    ${result}

Groups Reach Their Members Alone
    [Documentation]    Two of three ports have joined.
    Create Multicast Stream    video    p1    p2    p3    groups=239.1.2.1-239.1.2.20    frame_size=512    rate=50 %
    Join Group    p2    239.1.2.1-239.1.2.20
    Join Group    p3    239.1.2.1-239.1.2.20    protocol=igmpv3
    ${trial} =    Measure Loss    video    duration=1 s
    Verify Loss Below    0 %    ${trial}
    Verify No Multicast Leak    ${trial}

A Group That A Member Has Left Misses It
    [Documentation]    The other one goes on. A device that forwards to members does right.
    Create Multicast Stream    video    p1    p2    p3    groups=239.1.3.1    frame_size=512    rate=50 %
    Join Group    p2    239.1.3.1
    Join Group    p3    239.1.3.1
    Leave Group    p3
    Sleep    1.2 s    the device asks twice
    ${trial} =    Measure Loss    video    duration=500 ms
    Should Contain    ${trial.objections}[0]    p3 has not joined 239.1.3.1
    Create Multicast Stream    rest    p1    p2    groups=239.1.3.1    frame_size=512    rate=50 %
    Measure Loss    rest    duration=500 ms
    Verify Loss Below    0 %

A Frame That Reaches A Port That Did Not Join Is A Leak
    [Documentation]    The stream does not know that p4 has joined, too.
    Create Multicast Stream    video    p1    p2    groups=239.1.4.1    frame_size=512    rate=50 %
    Join Group    p2    239.1.4.1
    Join Group    p4    239.1.4.1
    Measure Loss    video    duration=500 ms
    Run Keyword And Expect Error
    ...    FAIL: frames of video, 512 bytes at ports that are no members is *, at p4, required none
    ...    Verify No Multicast Leak

It Forwards Many Groups As Fast As One
    [Documentation]    7 Mbps of 508 bytes are 1,722 frames each second at each member.
    ${result} =    Sweep Group Forwarding    p1    p2    p3    groups=1,20    frame_size=512    duration=1 s
    Verify Group Forwarding Rate Above    1722 pps    ${result}    within=3 %
    Run Keyword And Expect Error
    ...    FAIL: group forwarding rate of 239.1.1.1 … from p1 to p2, p3*
    ...    Verify Group Forwarding Rate Above
    ...    1800 pps
    ...    ${result}
    Verify No Multicast Leak    ${result}

Each Member Has A Latency
    [Documentation]    Of every frame.
    Create Multicast Stream    video    p1    p2    p3    groups=239.1.5.1    frame_size=512    rate=30 %
    Join Group    p2    239.1.5.1
    Join Group    p3    239.1.5.1
    ${result} =    Measure Multicast Latency    video    duration=300 ms
    Verify Latency Below    50 ms    ${result}

It Holds As Many Groups As It Can
    [Documentation]    With one more it floods all of them, until its hook empties it.
    ${result} =    Find Multicast Group Capacity
    ...    p1
    ...    p2
    ...    lowest=150
    ...    highest=151
    ...    rate=5 k/s
    ...    probe_rate=5 k/s
    ...    rest=1.1 s
    ...    empty=True
    Should Be Equal As Integers    ${result.capacity}    150
    Verify Multicast Group Capacity Above    150    ${result}
    Run Keyword And Expect Error
    ...    FAIL: multicast group capacity of 239.1.1.1 … from p1 to p2 is 150 groups; with 151 groups frames arrived *
    ...    Verify Multicast Group Capacity Above
    ...    151
    ...    ${result}
