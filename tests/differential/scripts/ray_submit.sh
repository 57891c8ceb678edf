#!/usr/bin/env bash
export RAY_ADDRESS=${RAY_ADDRESS:-http://localhost:8265}
RUNTIME=${RUNTIME:-"./env.yaml"}
n=4
ray stop
ray start --head
ray job submit --no-wait --runtime-env="${RUNTIME}" --address "$RAY_ADDRESS" --working-dir . \
    -- python3 -m app.main \
    trainer.nnodes=$n \
    data.files="['/a','/b']"
