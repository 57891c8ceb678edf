#!/usr/bin/env bash
X=outer
X=inner Y=2 python3 -m app.main "$X" "[${Y:-}]"
CUDA_VISIBLE_DEVICES=0,1 HYDRA_FULL_ERROR=1 python3 -m app.main x=$X
env A=1 python3 -m app.main x=1
