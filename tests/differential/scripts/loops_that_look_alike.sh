#!/usr/bin/env bash
python3 -m app.main x
for a in x x; do
f() {
local b=$1
for a in x x; do
unset a
done
}
f x
done
python3 -m app.main end
