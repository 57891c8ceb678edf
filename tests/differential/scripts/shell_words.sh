#!/usr/bin/env bash
if=1; do=2
python3 -m app.main if then $if $do fi done { } ! [[ esac case in for
echo if; python3 -m app.main =x a==b +x=1 ++y=2 ~z.w ~zz -- -q --opt=v @f % ^ , . : / a:b
