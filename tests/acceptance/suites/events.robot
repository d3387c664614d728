*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Events that a suite marks while traffic is watched.

Library           TesterLibrary    testbed=embedded/l2-bridge

Suite Setup       Open Tester
Suite Teardown    Close Tester


*** Test Cases ***
Loss While The Device Is Reloaded
    [Documentation]    The mark is between the intervals before and after it.
    Create Stream    north    tx=p1    rx=p2    rate=5 kpps
    Start Traffic    north
    Start Monitoring    interval=100 ms
    Sleep    0.3 s
    Mark Event    reload
    Sleep    0.3 s
    Stop Traffic
    Verify Interval Loss Below    0

Without A Tester
    [Documentation]    There is no clock to tell the time by.
    Close Tester
    Run Keyword And Expect Error    *no tester is open*    Mark Event    nothing
    Open Tester
