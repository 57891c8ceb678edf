#!/usr/bin/env bash
x=abcdefgh; n=2
python3 -m app.main ${x:0:3} ${x:2} ${x: -3} ${x:(-3):2} ${x:n:n+1} "[${x:8}]" "[${x:9}]" ${x:1:-2} ${x:$n:1} ${x:0:100}
