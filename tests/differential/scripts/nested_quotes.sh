#!/usr/bin/env bash
f=/a/b.parquet; g="/c d"
python3 -m app.main data.train="['$f']" data.val="[\"$f\",\"$g\"]" "a='$f'" 'b="$f"' "x=${h:-"['/e','/f']"}" y=${h:-"['/e','/f']"} z="${h:-'q'}" \
 k='{"a": 1}' "m={'a':'$f'}" ${h:-"a b"}"c d" "${f:+"$g"}"
