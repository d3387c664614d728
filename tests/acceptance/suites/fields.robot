*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Fields that change from frame to frame and mixes through a bridge, and what is refused of them.

Library           TesterLibrary    testbed=embedded/l2-bridge

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Stream    north    frame_size=128    rate=1 kpps


*** Test Cases ***
Flows
    [Documentation]    All combinations of addresses and ports.
    Set Field Sweep    north    IP.src    10.0.0.1    10.0.0.250
    Set Field Values    north    UDP.dport    53    80    443
    Set Field Cascade    north    IP.src    UDP.dport
    Set Flow Counting    north
    Arrives    north

Random Fields
    [Documentation]    Of networks, ranges, masks and distributions.
    Set Field Random    north    IP.src    prefix=10.0.0.0/16
    Set Field Random    north    IP.dst    prefix=10.1.0.0/16    seed=3
    Set Field Random    north    UDP.sport    1024    65535    every=2
    Set Field Random    north    IP.ttl    mask=0x0f
    Set Field Distribution    north    IP.tos    0=70 %    184=30 %
    Arrives    north

In Step
    [Documentation]    Streams that share a cascade.
    Create Stream    south    tx=p2    rx=p1    frame_size=128    rate=1 kpps
    Set Field Sweep    north    IP.id    1    100
    Set Field Random    north    UDP.sport
    Set Field Cascade    north    IP.id    UDP.sport    shared_with=south
    Arrives    north    south    frames=1000

Sizes
    [Documentation]    Results say which mix they are of.
    Set Frame Size    north    imix
    ${trial} =    Arrives    north
    Should Be Equal    ${trial.title}    north, mix 64:7 570:4 1518:1 bytes
    Set Frame Size    north    64:1    128:3
    Arrives    north
    Set Frame Size    north    IMIX(aaafg)
    Arrives    north

Streams In Proportion
    [Documentation]    A mix stands for its streams.
    Create Stream    voice    frame_size=218
    Create Stream    web    frame_size=imix
    Create Mix    office    rate=1 kpps    voice=20 %    web=80 %
    ${trial} =    Arrives    office
    ${voice} =    Evaluate    $trial.stream('voice').counters.tx_packets
    Should Be Equal As Integers    ${voice}    100
    Run Keyword And Expect Error    *'office' is a mix of voice, web*    Set Rate    office    1 kpps

Refused Means Nothing Has Changed
    [Documentation]    Each mistake names stream and field; the stream goes on as it was.
    Set Field Sweep    north    UDP.dport    1    9
    Refused    *'north': TCP.sport: there is no header 'TCP' in*    Set Field Sweep    TCP.sport    1    9
    Refused    *'north': IP.tos: '256': it takes 0 to 255*    Set Field Sweep    IP.tos    1    256
    Refused    *'north': IP.id: the range from 9 to 1 is reversed*    Set Field Random    IP.id    9    1
    Refused    *'north': IP.id: a list of 0 values*    Set Field Values    IP.id
    Arrives    north

Refused Without A Field
    [Documentation]    What says nothing, or of fields that do not change.
    Set Field Sweep    north    UDP.dport    1    9
    Run Keyword And Expect Error
    ...    *'north': IP.tos: the distribution ends at 0.9; it has to reach 1*
    ...    Set Field Distribution
    ...    north
    ...    IP.tos
    ...    0=90 %
    Refused    *'north': IP.id does not change yet*    Set Field Cascade    UDP.dport    IP.id
    Refused    *'north': IP.id does not change; UDP.dport does*    Reset Field    IP.id
    Refused    *'dport' is not a field; write header and field*    Set Field Sweep    dport    1    9
    Reset Field    north    UDP.dport
    Refused    *'north': its frames are all of one flow*    Set Flow Counting
    Arrives    north


*** Keywords ***
Arrives
    [Documentation]    Every frame is counted on the other side.
    [Arguments]    @{streams}    ${frames}=500
    ${trial} =    Measure Loss    @{streams}    duration=0.5 s
    Should Be Equal As Integers    ${trial.received}    ${frames}
    Verify Loss Below    0
    RETURN    ${trial}

Refused
    [Documentation]    The message for something done to north.
    [Arguments]    ${message}    ${keyword}    @{arguments}
    Run Keyword And Expect Error    ${message}    ${keyword}    north    @{arguments}
