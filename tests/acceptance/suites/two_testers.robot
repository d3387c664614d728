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
    ${trial} =    Send Traffic    north    south    packets=${FRAMES}
    Get Frame Loss    ==    ${0}
    Should Be Equal As Integers    ${trial.sent}    ${{2 * $FRAMES}}
    Verify Loss Below    0.001 %

A Planted Loss Is Exact To The Frame
    [Setup]    Plant Loss
    ${trial} =    Send Traffic    north    packets=${FRAMES}
    Get Frame Loss    ==    ${LOST}
    [Teardown]    Run In Device    nft    delete    table    ${FAMILY}    planted

Intervals Are Exact While Traffic Runs
    Start Traffic    north    south
    Start Monitoring    interval=200 ms
    Sleep    1100 ms
    ${result} =    Stop Monitoring
    Stop Traffic    north    south
    Should Be Equal    ${result.method.name}    VERSION
    Should Be Equal As Integers    ${result.lost}    ${0}

A Rate Changes While Frames Leave
    Start Traffic    north
    Set Rate    north    20 kpps
    Sleep    200 ms
    ${trial} =    Stop Traffic    north
    Get Frame Loss    ==    ${0}

Delays Between Testers Have The Error Of Their Clocks
    ${result} =    Measure Latency    north    rate=10 kpps    duration=1 s    repetitions=1
    Verify Latency Below    20 ms    percentile=99


*** Keywords ***
Describe Streams
    Create Stream    north    tx=p1    rx=p2    frame_size=128    rate=10 kpps
    Create Stream    south    tx=p2    rx=p1    frame_size=256    rate=5 kpps

Plant Loss
    Describe Streams
    Run In Device    nft    add    table    ${FAMILY}    planted
    Run In Device    nft    add chain ${FAMILY} planted lossy { type filter hook forward priority 0; }
    Run In Device    nft    add rule ${FAMILY} planted lossy udp dport 0-65535 numgen inc mod 4 0 drop
