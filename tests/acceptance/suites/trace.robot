*** Comments ***
SPDX-FileCopyrightText: TesterLibrary contributors
SPDX-License-Identifier: Apache-2.0


*** Settings ***
Documentation     Traces of a path between two TCP stacks of the kernel, and what is found in them.

Library           TesterLibrary    testbed=embedded/path-hosts

Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Create Path    wan    between=p1,p2


*** Test Cases ***
A Lost Segment And Its Retransmission
    [Documentation]    The trace has the segment with its event, and when it was sent again; the kernel has counted it.
    Drop Packet    wan    flow=1    number=20    data_only=True    direction=backward    name=the twentieth
    ${trace} =    Traced Download    file=lost.pcapng    parquet=True
    Verify Trace Complete    wan
    Get Path Statistics    wan    received    ==    ${trace.received}
    ${found} =    Analyse Retransmissions    wan    host=server    direction=backward
    # On a busy machine the timer of the kernel may be faster than three acknowledgements.
    Should Be Equal As Strings    ${found.lost} ${{ $found.fast + $found.timeouts }} ${found.spurious}    1 1 0
    VAR    ${packet} =    ${trace.packets[${found.recoveries[0].packet}]}
    Should Be Equal As Strings    ${packet.events} ${packet.left_ns}    ('the twentieth',) None
    Verify Recovery Below    wan    10 s

Its Retransmission As Well
    [Documentation]    Nothing asks for it a second time in vain: a timer may end.
    Drop Packet    wan    flow=1    number=20    iteration=1    data_only=True    direction=backward
    Drop Packet    wan    flow=1    number=20    iteration=2    data_only=True    direction=backward
    Traced Download
    Verify Trace Complete
    ${found} =    Analyse Retransmissions    host=server    direction=backward
    Should Be Equal As Integers    ${found.lost}    1
    Length Should Be    ${found.found}    2
    Should Be Equal As Integers    ${found.found[1].transmission}    3

A Sample
    [Documentation]    Each third packet is complete as a sample, and no ground for what was sent again.
    ${trace} =    Traced Download    every=3
    Verify Trace Complete    wan
    Should Be Equal As Integers    ${trace.packets[1].number}    3
    ${found} =    Analyse Retransmissions    wan
    Should Be Equal    ${found.doubt}    only a part of the packets was traced

A Trace With A Hole
    [Documentation]    INCONCLUSIVE: this test is skipped.
    Traced Download    frames=50
    Verify Trace Complete    wan

Recovery In A Trace With A Hole
    [Documentation]    INCONCLUSIVE: this test is skipped.
    Drop Packet    wan    flow=1    number=5    data_only=True    direction=backward
    Traced Download    frames=50
    Verify Recovery Below    wan    10 s

A Trace That Begins Late And A Counter
    [Documentation]    The kernel has counted what is in no trace. INCONCLUSIVE: this test is skipped.
    Drop Packet    wan    flow=1    number=20    data_only=True    direction=backward
    Start Path    wan
    Download
    Start Trace    wan
    Download
    Stop Trace    wan
    Analyse Retransmissions    wan    host=server    direction=backward

A Trace That Ends Early And A Counter
    [Documentation]    The kernel goes on. INCONCLUSIVE: this test is skipped.
    Drop Packet    wan    flow=2    number=20    data_only=True    direction=backward
    Start Trace    wan
    Start Path    wan
    Download
    Stop Trace    wan
    Download
    Verify Host Counter    server    TcpRetransSegs    retransmissions    backward

A Trace Of An Earlier Start And A Counter
    [Documentation]    The kernel counts from the last one. INCONCLUSIVE: this test is skipped.
    Drop Packet    wan    flow=1    number=20    data_only=True    direction=backward
    Traced Download
    Stop Path    wan
    Start Path    wan
    Download
    Verify Host Counter    server    TcpRetransSegs    retransmissions    backward

Headers That Were Not Kept
    [Documentation]    Retransmissions are in none of them. INCONCLUSIVE: this test is skipped.
    Drop Packet    wan    flow=1    number=20    data_only=True    direction=backward
    Traced Download    snap_length=50
    Analyse Retransmissions    wan    host=server    direction=backward

A Trace Is Of One Start
    [Documentation]    What passes after another one would be missing in it.
    Start Trace    wan
    Start Path    wan
    Stop Path    wan
    Run Keyword And Expect Error    *traced since an earlier start*call Stop Trace first    Start Path    wan
    Stop Trace    wan
    Start Path    wan

Mistakes
    [Documentation]    Each says what was given and what is allowed.
    Run Keyword And Expect Error    *no path 'lan'*    Start Trace    lan
    Run Keyword And Expect Error    *every=0; give 1 or more*    Start Trace    wan    every=0
    Run Keyword And Expect Error    *the name of a pcapng file*    Start Trace    wan    file=a/b.txt
    Run Keyword And Expect Error    *no trace to verify*    Verify Trace Complete
    Run Keyword And Expect Error    *there is no stopped trace of path; call Start Trace*    Analyse Retransmissions
    Run Keyword And Expect Error    *no running trace of path 'wan'*    Stop Trace    wan
    Start Trace    wan
    Run Keyword And Expect Error    *direction=both; give the one*    Analyse Retransmissions    wan    host=server
    Run Keyword And Expect Error    *traced already*    Start Trace    wan
    Run Keyword And Expect Error    *was not started, so there is no trace*    Stop Trace    wan


*** Keywords ***
Traced Download
    [Documentation]    All that passes until the client has its bytes.
    [Arguments]    &{options}
    Start Trace    wan    &{options}
    Start Path    wan
    Download
    ${trace} =    Stop Trace
    RETURN    ${trace}

Download
    [Documentation]    The client gets a hundred thousand bytes from the server.
    Run On Host    client    curl --silent --fail --output /dev/null http://198.18.1.3/100kB    timeout=30 s
