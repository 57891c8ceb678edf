#!/usr/bin/env bash
set -e
set +e
[ 1 = 2 ]
python3 -m app.main reached
