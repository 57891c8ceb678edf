#!/usr/bin/env bash
ARGS=(
    # first
    data.batch=8   # why
    model.path="/a b"

    trainer.n=2 # last
)
ARGS+=( # more
  x=1
)
python3 -m app.main "${ARGS[@]}" tail=1
