#!/usr/bin/env bash
set -o pipefail
mkdir -p logs
python3 -m app.main a=1 2>&1 | tee log.txt
python3 -m app.main a=2 > out.txt 2> err.txt
python3 -m app.main a=3 &> all.txt
python3 -m app.main a=4 >> out.txt 2>&1 < /dev/null
2>/dev/null python3 -m app.main a=5
x=1; echo | x=2; x=$x | true; python3 -m app.main $x
python3 -m app.main a=6 |& tee log2
! python3 -m app.main a=7
time python3 -m app.main a=8
{ python3 -m app.main a=9; } 2>&1 | tee -a log.txt
python3 -m app.main >&2 a=10 2>err b=1
