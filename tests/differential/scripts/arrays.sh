#!/usr/bin/env bash
A=(one "two words" 'three' $'fo\tur')
B=("${A[@]}" five)
B+=(six "seven 7")
C=()
python3 -m app.main "${A[@]}" ${A[@]} "${A[*]}" "${#A[@]}" ${#A[1]} "${A[0]}" "$A" ${A[-1]} "x${A[@]}y" "${B[@]}" "${C[@]}" "[${C[*]}]" ${#C[@]}
A[1]=2; A[9]=ten; A+=(after)
python3 -m app.main "${A[@]}" "${!A[@]}" ${#A[@]} "${A[@]:1:2}" "${A[@]:4}" "${A[@]: -1}"
unset 'A[0]' ; A[2]+=tail
python3 -m app.main "${A[@]}" "${A[@]/e/E}" "${A[@]#t}" "${A[@]^^}" "${A[@]%r}"
i=1; n=(10 20 30); python3 -m app.main ${n[i]} ${n[i+1]} ${n[$i]} $(( n[0] + n[2] )) ${n[${#n[@]}-1]}
D=([3]=c [1]=a [2]="b b"); python3 -m app.main "${D[@]}" "${!D[@]}"
E=(a{1,2} {x,y}z $i); python3 -m app.main "${E[@]}"
str="a b c"; F=($str); python3 -m app.main ${#F[@]} "${F[2]}" "${F[@]}"
