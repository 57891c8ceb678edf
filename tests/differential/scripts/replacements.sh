#!/usr/bin/env bash
p=/a/b/c/b
q="actor.lr=1 actor.n=2"
python3 -m app.main ${p/b/X} ${p//b/X} ${p//\//_} ${p/#\/a/R} ${p/%b/E} ${p//b} ${p/nomatch/x} "${q//actor/critic}" ${p//[ab]/z} ${p/*b/s} ${p//?/.}
from=b to='Y/Z'
python3 -m app.main "${p//$from/$to}" "${p/"$from"/"$to"}" "${q// /,}"
