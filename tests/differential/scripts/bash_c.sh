#!/usr/bin/env bash
export N=3; M=4
bash -c "python3 -m app.main n=$N m=$M 'q r'"
bash -c 'python3 -m app.main n=$N a=$1' name arg
cmd="python3 -m app.main from_eval=$N"
eval "$cmd"
eval python3 -m app.main 'q=$M' "\"two words\""
bash -c 'X=1; for i in 1 2; do python3 -m app.main $i$X; done'
