*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Goals of one's own, and what is refused, on a simulated device that forwards 60 % of line rate.

Library           TesterLibrary    testbed=simulated/breakpoint

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Stream    north    tx=p1    rx=p2    frame_size=64


*** Test Cases ***
Goals Of One's Own
    [Documentation]    Both are met by what the device forwards; only one load more is tolerated with loss.
    ${strict} =    Create Search Goal    strict    loss=0    exceed=0    duration_sum=1 s
    ${tolerant} =    Create Search Goal    tolerant    loss=5 %    exceed=0    duration_sum=1 s
    VAR    @{goals} =    ${strict}    ${tolerant}
    ${result} =    Find Goals    north    goals=${goals}    lowest=10 %
    Verify Goal Above    strict    59 %    ${result}
    Verify Goal Above    tolerant    59 %
    Should Be True    $result.goal("strict").regular
    Should Be True    0.62 < $result.goal("tolerant").lower < 0.64

Goals That Exclude Each Other
    [Documentation]    Refused before a frame is sent.
    ${one} =    Create Search Goal    one    loss=0
    ${other} =    Create Search Goal    other    loss=0    final=2 s
    VAR    @{goals} =    ${one}    ${other}
    Run Keyword And Expect Error    *goals of one search must have the same final trial duration*
    ...    Find Goals    north    goals=${goals}
    Run Keyword And Expect Error    *two goals have the name 'one'*
    ...    Find Goals    north    goals=${{ [$one, $one] }}
    Run Keyword And Expect Error    *got value 'NDR'*
    ...    Find Goals    north    goals=${{ ['NDR'] }}

A Resolution That Loads Do Not Have
    [Documentation]    A line of 10 Mbps carries 812 frames of 1,518 bytes a second.
    Create Stream    south    tx=p1    rx=p2    frame_size=1518
    Run Keyword And Expect Error    *a width of 1 % is finer than one frame per second at the lowest load*
    ...    Find NDR And PDR    south

An Exceed Ratio Of All Trials
    [Documentation]    Refused with the range that is allowed.
    Run Keyword And Expect Error    *the goal exceed ratio must be at least 0 and below 100 %; name is NDR, exceed is *
    ...    Create Search Goal    NDR    loss=0    exceed=100 %

A Soak
    [Documentation]    At 50 % of line rate the device loses nothing, at 90 % always.
    Measure Soak    north    rate=50 %    trials=10    duration=50 ms
    Verify Exceed Probability Below    26 %
    Measure Soak    north    rate=90 %    trials=10    duration=50 ms
    Run Keyword And Expect Error    FAIL: exceed probability of north*    Verify Exceed Probability Below    26 %
