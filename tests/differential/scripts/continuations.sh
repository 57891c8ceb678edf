#!/usr/bin/env bash
python3 -m app.main \
    a=1 \
    b=2 \
    "c=3" \
    $@ \
    d=4
python3 -m app.main a=1 \
    b=2 \

python3 -m app.main a=\
1 && \
python3 -m app.main b=2 || \
  python3 -m app.main c
if [ 1 = 1 ] && \
   [ 2 = 2 ]; then
  python3 -m app.main joined
fi
