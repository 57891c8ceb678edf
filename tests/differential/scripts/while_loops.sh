#!/usr/bin/env bash
i=0
while [ $i -lt 3 ]; do python3 -m app.main i=$i; i=$((i + 1)); done
until ((i == 0)); do ((i--)); done
python3 -m app.main $i
while true; do i=$((i+1)); if [ $i -gt 4 ]; then break; fi; done
python3 -m app.main $i
n=1; while (( n < 100 )); do (( n *= 3 )); done; python3 -m app.main $n
