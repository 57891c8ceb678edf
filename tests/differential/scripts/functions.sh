#!/usr/bin/env bash
launch() {
  local bs=$1 lr=${2:-1e-6}
  shift
  python3 -m app.main bs=$bs lr=$lr n=$# "$@"
}
function named { python3 -m app.main "$1" "$*" "${@:2}" "$@"; return 3; after=1; }
function both() { inner=set; local inner=hidden; python3 -m app.main $inner; }
launch 8
launch 16 2e-6 "a b" c
named x "y z" w
both; python3 -m app.main inner=$inner
status() { return $1; }
if status 0; then python3 -m app.main ok; fi
if status 1; then python3 -m app.main no; else python3 -m app.main failed; fi
fact() { if (( $1 <= 1 )); then result=1; else fact $(( $1 - 1 )); result=$(( result * $1 )); fi; }
fact 5; python3 -m app.main $result
outer() { v=1; mid; python3 -m app.main v=$v; }; mid() { local v=2; low; }; low() { v=3; }
outer
X=env_x launch 1; python3 -m app.main "[${X:-}]"
early() { [ "$1" = stop ] && return; python3 -m app.main went $1; }
early stop; early on
