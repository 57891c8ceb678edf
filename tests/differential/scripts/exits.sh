#!/usr/bin/env bash
if [ "$#" -gt 5 ]; then exit 1; fi
python3 -m app.main before
f() { exit 3; }
( f ); python3 -m app.main between
f
python3 -m app.main never
