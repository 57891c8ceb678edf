#!/usr/bin/env bash
s=a; s+=b; s+="c d"; t+=new
n=1; n+=1
A=(1); A+=(2 3); A[1]+=x; A+=z
python3 -m app.main "$s" $t $n "${A[@]}"
