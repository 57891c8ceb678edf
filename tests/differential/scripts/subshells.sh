#!/usr/bin/env bash
x=1
(x=2; python3 -m app.main in=$x; exit 1)
python3 -m app.main out=$x
{ x=3; python3 -m app.main group=$x; }
python3 -m app.main now=$x
( cd /tmp && f() { :; } ); (set -- a b; python3 -m app.main $#); python3 -m app.main $#
