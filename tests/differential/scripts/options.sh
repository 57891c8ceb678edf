#!/usr/bin/env bash
set -x
set -euo pipefail
set +u
set -o errexit
[ 1 = 2 ] && x=1
x=${x:-2}
if [ $x = 3 ]; then :; fi
python3 -m app.main $x
false || true
f() { [ 1 = 2 ] && echo no; return 0; }
f
(( 0 )) || python3 -m app.main here
[[ $x == 2 ]]
python3 -m app.main still
[[ $x == 3 ]]
python3 -m app.main never
