*** Settings ***
Documentation     Streams between two testers: every number is exact, also while the device loses every fourth frame.
Library           TesterLibrary    testbed=${TESTBED}
Suite Setup       Open Tester
Suite Teardown    Close Tester
Test Setup        Describe Streams


*** Variables ***
${TESTBED}    embedded/two-testers
${FRAMES}     ${8000}
${LOST}       ${2000}
${FAMILY}     bridge


*** Test Cases ***
A Device That Loses Nothing
    [Documentation]    Each frame of both directions arrives.
    ${trial} =    Send Traffic    north    south    packets=${FRAMES}
    Get Frame Loss    ==    ${0}
    Should Be Equal As Integers    ${trial.sent}    ${{2 * $FRAMES}}
    Verify Loss Below    0.001 %

A Planted Loss Is Exact To The Frame
    [Documentation]    The device drops each fourth frame.
    [Setup]    Plant Loss
    Send Traffic    north    packets=${FRAMES}
    Get Frame Loss    ==    ${LOST}
    [Teardown]    Run In Device    nft    delete    table    ${FAMILY}    planted

Intervals Are Exact While Traffic Runs
    [Documentation]    The versions of frames tell intervals apart at both testers.
    Start Traffic    north    south
    Start Monitoring    interval=200 ms
    Sleep    1100 ms
    ${result} =    Stop Monitoring
    Stop Traffic    north    south
    Should Be Equal    ${result.method.name}    VERSION
    Should Be Equal As Integers    ${result.lost}    ${0}

A Rate Changes While Frames Leave
    [Documentation]    Nothing is lost by it.
    Start Traffic    north
    Set Rate    north    20 kpps
    Sleep    200 ms
    Stop Traffic    north
    Get Frame Loss    ==    ${0}

Delays Between Testers Have The Error Of Their Clocks
    [Documentation]    The bound is far above that error.
    Measure Latency    north    rate=10 kpps    duration=1 s    repetitions=1
    Verify Latency Below    20 ms    percentile=99


*** Keywords ***
Describe Streams
    [Documentation]    One stream in each direction.
    Create Stream    north    tx=p1    rx=p2    frame_size=128    rate=10 kpps
    Create Stream    south    tx=p2    rx=p1    frame_size=256    rate=5 kpps

Plant Loss
    [Documentation]    The device drops each fourth UDP packet.
    Describe Streams
    Run In Device    nft    add    table    ${FAMILY}    planted
    Run In Device    nft    add chain ${FAMILY} planted lossy { type filter hook forward priority 0; }
    Run In Device    nft    add rule ${FAMILY} planted lossy udp dport 0-65535 numgen inc mod 4 0 drop
