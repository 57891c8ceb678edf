#!/usr/bin/env bash
x=8
y="two words"
z='single $x'
w=a"b"'c'\ d
empty=
python3 -m app.main n=$x text="$y" single="$z" joined="$w" empty=$empty empty2="$empty" ${x}${x} "$x"y$x
x=9 y=$x
python3 -m app.main n=$x y=$y
