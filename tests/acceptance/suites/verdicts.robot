*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     One test for each verdict, on a real device. The caller checks how each of them ends.

Library           TesterLibrary    testbed=embedded/l2-bridge
Library           Sabotage.py

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Test Cases ***
Passes
    [Documentation]    A slow stream through a bridge loses nothing.
    Create Stream    north    frame_size=512
    ${trial} =    Measure Loss    north    rate=1 kpps    duration=1 s
    Should Be Equal As Integers    ${trial.sent}    1000
    Get Frame Loss    <=    0
    Get Loss Ratio    north    ==    0
    Get Latency    p99    <    1 s
    Verify Loss Below    0.001 %
    Verify Throughput Above    1 kpps

Is Inconclusive Beyond The Tester
    [Documentation]    No virtual cable carries line rate at 64 bytes: that says nothing about the bridge.
    Create Stream    north    frame_size=64
    Measure Loss    north    rate=100 %    duration=0.3 s
    Verify Loss Below    0.001 %

Is Inconclusive Where The Tester Stood Still
    [Documentation]    A silence may be the tester's own, though no job runs. How many packets came is known.
    Sum By    silences    keys=IP.dst    value=gap    function=max    port=p2
    Count Packets    all    port=p2
    Pause Engine    0.4
    Get Query Result    all    count    >=    0
    Get Query Result    silences    count    >=    0

Fails
    [Documentation]    A bridge that forwards a tenth is found out.
    Limit Device    20mbit
    Create Stream    north    frame_size=1024
    ${result} =    Find Throughput    north    duration=0.5 s    scout=0.2 s
    Verify Throughput Above    50 %    ${result}

Fails When Nothing Arrives
    [Documentation]    A device that forwards nothing fails; it is no broken tester.
    Mute Device
    Create Stream    north    frame_size=1024
    Measure Loss    north    rate=1 kpps    duration=0.2 s
    Verify Loss Below    0.001 %

Is Inconclusive Without A Link
    [Documentation]    A cable that is out is nobody's loss.
    Unplug Device
    Create Stream    north    frame_size=1024
    Measure Loss    north    rate=1 kpps    duration=0.2 s
    Verify Loss Below    0.001 %

Is Inconclusive Without An Engine
    [Documentation]    The engine dies in a trial; the trials before it stay.
    Create Stream    north    frame_size=1024
    Kill Engine In    0.5
    Measure Loss    north    rate=1 kpps    duration=20 s

Goes On Being Inconclusive
    [Documentation]    A dead engine stays dead until it is opened again.
    Create Stream    north    frame_size=1024
    Measure Loss    north    rate=1 kpps    duration=0.2 s

Opens Again
    [Documentation]    A new engine on a new testbed measures.
    Close Tester
    Open Tester
    Create Stream    north    frame_size=1024
    Measure Loss    north    rate=1 kpps    duration=0.2 s
    Verify Loss Below    0
