*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     A test ends what it has made; what the suite setup has made goes on. The caller looks at the rest.

Library           TesterLibrary    testbed=embedded/l2-bridge

Suite Setup       Start Background
Suite Teardown    Finish


*** Test Cases ***
Leaves Everything Behind
    [Documentation]    Traffic, monitoring, a capture, a watcher and a rate of the suite's stream that is sending.
    Create Stream    north    tx=p1    rx=p2    rate=5 kpps
    Create Stream    south    tx=p1    rx=p2    rate=5 kpps
    Set Callback    south    Fail    A watcher of another test was called
    Set Rate    background    500 pps
    Start Capture    left    port=p1
    Start Traffic    north
    Start Monitoring    interval=100 ms
    Sleep    0.4 s
    Verify Interval Loss Below    0

Finds Nothing Of It
    [Documentation]    Run alone it does the same.
    Run Keyword And Expect Error
    ...    there is no stream 'south'; there are background
    ...    Measure Loss    south
    Run Keyword And Expect Error    nothing was measured in this test yet*    Verify Loss Below    0
    Run Keyword And Expect Error    nothing was monitored in this test*    Verify Interval Loss Below    0
    ${series} =    Get Interval Series
    Should Be Empty    ${series}
    Create Stream    south    tx=p1    rx=p2    rate=1 kpps
    Measure Loss    south    duration=0.5 s
    Verify Loss Below    0

Judges All That It Stopped
    [Documentation]    Stop Traffic is the last measurement.
    Create Stream    north    tx=p1    rx=p2    rate=1 kpps
    Create Stream    south    tx=p1    rx=p2    rate=2 kpps
    Start Traffic    north
    Start Traffic    south
    Sleep    0.3 s
    ${stopped} =    Stop Traffic    north    south
    Should Be Equal As Integers    ${{ len($stopped.trials) }}    2
    Verify Loss Below    0
    Verify Loss Below    0    ${stopped}


*** Keywords ***
Start Background
    [Documentation]    What stays for the suite.
    Open Tester
    Create Stream    background    tx=p2    rx=p1    rate=100 pps
    Start Traffic    background

Finish
    [Documentation]    The background went on through all tests, at its own rate.
    ${trial} =    Stop Traffic    background
    Should Be Equal As Integers    ${trial.lost}    0
    Should Be Equal As Numbers    ${{ float($trial.streams[0].intended_rate) }}    100
    Close Tester
