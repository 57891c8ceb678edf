#!/usr/bin/env bash
p=/data/models/Qwen2.5-7B.Instruct.tar.gz
python3 -m app.main ${#p} ${p##*/} ${p#*/} ${p%/*} ${p%%.*} ${p%.*} ${p#nomatch} ${p%.tar.gz} "${p##*[.-]}" ${p%%[0-9]*} ${p#"/data"}
s='a*b*c'
python3 -m app.main "${s#*\*}" "${s##*'*'}" "${s%\**}" ${#s} "${s%"*c"}"
e=; python3 -m app.main "${#e}" "${e##*/}" "${never_1:-x/y}"
