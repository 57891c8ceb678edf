#!/usr/bin/env bash
export A=1 B="two words" C
C=3
export VLLM_USE_V1=1
declare D=4 E=$((A + 5))
readonly F=6
declare -a G=(g1 g2)
typeset H=8
declare -i I=2+3
declare -x J="$A $B"
export PATH_LIKE=$A:$B
python3 -m app.main $A "$B" $C $D $E $F "${G[@]}" $H $I "$J" "$PATH_LIKE"
D+=0; I+=5; A+=x; python3 -m app.main $D $I $A
unset A; python3 -m app.main "[${A-unset}]"
