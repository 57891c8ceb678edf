#!/usr/bin/env bash
x=1
{ x=2; sleep 1; } &
wait
python3 -m app.main $x
nohup python3 -m app.main a=1 > log 2>&1 &
wait
