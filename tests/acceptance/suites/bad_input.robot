*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Each mistake gives one message: what was given, what is allowed, where.

Library           TesterLibrary    testbed=embedded/l2-bridge

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Test Cases ***
Unknown Port
    [Documentation]    A stream leaves a port of the testbed.
    Run Keyword And Expect Error    *'p9'*p1, p2*    Create Stream    north    tx=p9

Frame Above The Port's Limit
    [Documentation]    No fragments are sent.
    Run Keyword And Expect Error    *'north'*9000*    Create Stream    north    frame_size=9000

Frame Below The Minimum
    [Documentation]    Ethernet has none that are shorter.
    Run Keyword And Expect Error    *'63' is not a frame size*from 64 to*    Create Stream    north    frame_size=63

Rate Above The Port's
    [Documentation]    What cannot be sent is refused before anything is sent.
    Run Keyword And Expect Error    *'north'*2 Gbps*1 Gbps*    Create Stream    north    rate=2 Gbps

Resolution Finer Than A Frame
    [Documentation]    Loads that differ by less than a frame are the same; nothing is sent.
    Create Stream    north    frame_size=1518
    Run Keyword And Expect Error
    ...    a resolution of 0.0001 % is finer than one frame: a trial of 1 s at line rate has 81,274; give*
    ...    Find Throughput    north    resolution=0.0001 %

Goals That Exclude Each Other
    [Documentation]    Trials of one goal would undo what the other has classified; nothing is sent.
    Create Stream    north
    ${short} =    Create Search Goal    short    loss=0    final=1 s
    ${long} =    Create Search Goal    long    loss=0.5 %    final=2 s
    VAR    @{both} =    ${short}    ${long}
    Run Keyword And Expect Error    *goals of one search must have the same final trial duration*
    ...    Find Goals    north    goals=${both}

Unknown Unit
    [Documentation]    Robot names the argument, the library what is allowed.
    Run Keyword And Expect Error
    ...    *'5 furlongs' is not a rate; write a positive number with*
    ...    Create Stream
    ...    north
    ...    rate=5 furlongs

Numbers That Could Be Misread
    [Documentation]    A number with two meanings is refused, with what to write instead.
    Create Stream    north    rate=1 kpps
    Run Keyword And Expect Error    *'5' is not a time*no unit*'5 s'*
    ...    Measure Loss    north    duration=5
    Run Keyword And Expect Error    *'5' is not a time*no unit*'5 s'*
    ...    Measure Loss    north    duration=${5}
    Run Keyword And Expect Error    *'0,1 s'*decimal*'0.1 s'*
    ...    Measure Loss    north    duration=0,1 s
    Run Keyword And Expect Error    *'1,5 Gbps'*decimal*'1.5 Gbps'*
    ...    Create Stream    south    rate=1,5 Gbps
    ${trial} =    Measure Loss    north    duration=90 milliseconds 10 us
    Should Be Equal As Integers    ${trial.sent}    91
    Run Keyword And Expect Error    *'0,001 %'*decimal*'0.001 %'*
    ...    Verify Loss Below    0,001 %
    Run Keyword And Expect Error    *'450 MACs/s'*such as 450/s*
    ...    Verify Learning Rate Above    450 MACs/s

Refused Means Nothing Has Changed
    [Documentation]    The stream keeps its rate.
    Create Stream    north    rate=1 kpps
    Run Keyword And Expect Error    *    Set Rate    north    2 Gbps
    ${trial} =    Measure Loss    north    duration=0.1 s
    Should Be Equal As Integers    ${trial.sent}    100

Patterns That Cannot Be
    [Documentation]    Each message names the stream and what is wrong with it; the stream stays as it was.
    Create Stream    north    rate=1 kpps
    Refused    *'north'*peak of 0.5x*exceed the peak*    Set Burst Pattern    north    4    0.5x
    Refused    *'north'*the sine has a peak of 2 Mpps*    Set Time Pattern    north    sine    2 Mpps    1 s
    Refused    *'north'*low: 2 kpps is above*    Set Time Pattern    north    ramp    1 kpps    1 s    2 kpps
    ${trial} =    Measure Loss    north    duration=0.1 s
    Should Be Equal As Integers    ${trial.sent}    100

Laws That Cannot Be
    [Documentation]    So do these.
    Create Stream    north    rate=1 kpps
    Refused    *'north'*ends at 0.5*probability 1    Set Arrivals    north    cdf    1 us:0    9 us:50 %
    Refused    *'north'*point 2 of the CDF: the time 1 us is below*
    ...    Set Arrivals    north    cdf    9 us:0    1 us:1
    Refused    *'north'*gaps needs values or a file*    Set Arrivals    north    gaps
    Refused    *'north'*'-1 us' is not a time*    Set Arrivals    north    gaps    -1 us
    Refused    *'north'*interval: 9 ns is less than a frame*    Set Arrivals    north    gaps    1 ms    9 ns
    Refused    *'north' has no messages*    Set Message    north    1    5
    Refused    *'lost'*10.0.0.1*two kinds*    Create Replay Stream    lost    ${CURDIR}/bad_input.robot    10.0.0.1=::1

Captures That Cannot Be Replayed
    [Documentation]    The tester reads the file before anything is sent.
    Refused    *'north'*no capture file no-such-file.pcap*    Create Replay Stream    north    no-such-file.pcap
    Create Replay Stream    north    ${CURDIR}/bad_input.robot
    Refused    *north*bad_input.robot*    Send Traffic    north

Unknown Stream
    [Documentation]    The message lists those there are.
    Create Stream    north
    Run Keyword And Expect Error    there is no stream 'nord'; there are north    Measure Loss    nord

Sending Already
    [Documentation]    A rate may change on the wire, a frame size may not.
    Create Stream    north    rate=1 kpps
    ${handle} =    Start Traffic    north
    Run Keyword And Expect Error    *'north' is sending*Stop Traffic*    Set Frame Size    north    512
    Set Rate    north    2 kpps
    Sleep    0.2 s
    ${trial} =    Stop Traffic    ${handle}
    Should Be Equal As Integers    ${trial.lost}    0

Nothing To Judge
    [Documentation]    What an earlier test measured is not judged.
    Run Keyword And Expect Error    nothing was measured in this test yet*    Verify Loss Below    0

Unknown Testbed
    [Documentation]    The message knows what was meant.
    [Setup]    Close Tester
    Run Keyword And Expect Error    *there is no testbed 'l2-brigde' (did you mean*    Open On    l2-brigde
    [Teardown]    Use Testbed    embedded/l2-bridge


*** Keywords ***
Refused
    [Documentation]    A keyword fails with a message.
    [Arguments]    ${message}    @{call}
    Run Keyword And Expect Error    ${message}    @{call}

Open On
    [Documentation]    A testbed is looked up when the tester is opened on it.
    [Arguments]    ${testbed}
    Use Testbed    ${testbed}
    Open Tester
