#!/usr/bin/env bash
true && python3 -m app.main 1
false && python3 -m app.main no
false || python3 -m app.main 2
true || python3 -m app.main no
true && false || python3 -m app.main 3
x=5; [ $x = 5 ] && y=a || y=b; python3 -m app.main $y
[ $x = 6 ] && y=a || y=b; python3 -m app.main $y; python3 -m app.main z;
: && python3 -m app.main 4; ! false && python3 -m app.main 5
