#!/usr/bin/env bash
x="  a  b	c  "
python3 -m app.main $x "$x" [$x] x$x"y" $x$x
IFS=,; l="1,2,,3 4"; python3 -m app.main $l "$l"; set -- p q; python3 -m app.main "$*"; A=(u v); python3 -m app.main "${A[*]}"
IFS=$' \t\n'; python3 -m app.main $l
IFS=: read_me=1; P="/a::/b"; python3 -m app.main $P
unset IFS; python3 -m app.main $x
