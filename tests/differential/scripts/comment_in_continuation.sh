#!/usr/bin/env bash
python3 -m app.main \
    a=1 \
    # a comment ends the command \
    b.c=2 \
    "$@"
python3 -m app.main next=1 # trailing \
python3 -m app.main own=1
python3 -m app.main no#comment a#b '#quoted' \#escaped
