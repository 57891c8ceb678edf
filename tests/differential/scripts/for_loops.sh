#!/usr/bin/env bash
for x in 1 2 "3 4" {a,b} ; do python3 -m app.main x=$x; done
args= k=; list="p q r"
for x in $list; do args="$args $x"; done
python3 -m app.main$args $args
for ((i = 0; i < 3; i++)); do python3 -m app.main i=$i; done
for ((i=3, j=0; i>0; i--, j+=2)) { k="$k$i$j,"; }
python3 -m app.main $k
for n in {1..4}; do [ $n = 2 ] && continue; [ $n = 4 ] && break; python3 -m app.main $n; done
for a in 1 2; do for b in x y; do [ $b = y ] && continue 2; python3 -m app.main $a$b; done; done
for a in 1 2; do for b in x y; do [ $a$b = 1y ] && break 2; python3 -m app.main $a$b; done; done
set -- r s; for p; do python3 -m app.main $p; done
for z in; do python3 -m app.main never; done
