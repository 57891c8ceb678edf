#!/usr/bin/env bash
a=${a:-1}
b=${b-2}
c=${c:=3}
: ${d:=4} "${e=5}"
set_=x
empty=
python3 -m app.main $a $b $c $d $e ${set_:-no} ${set_-no} ${set_:+yes} ${set_+yes} "[${empty:-x}]" "[${empty-x}]" \
  "[${empty:+x}]" "[${empty+x}]" "[${never+x}]" "[${never:+x}]" ${f:-${g:-${h:-deep}}} ${i:-a b} "${i:-a b}" "${i:-"q  r"}" ${i:-'s  t'}
n=${N:-$((2 * 3))}; m="${M:-"/data/$n"}"; o=${O:-"['/a','/b']"}
python3 -m app.main $n $m "$o" ${p:-} "${p:-}" --x${p:+=$p} ${q:=w1 w2} "$q" ${set_:?is set}
