#!/usr/bin/env bash
# Written by rftconf: the stages in order, each from the last checkpoint of the one before.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${ROLL:?the folder that the sources of ROLL are in}"
config=$(realpath --relative-to="$ROLL/examples" "$here") # Hydra wants it relative to the start script
cd "$ROLL"

newest() { # the last checkpoint below a run's folder
  find "$1" -mindepth 2 -maxdepth 2 -type d -name 'checkpoint-*' | sort -V | tail -n 1
}

python "$ROLL/examples/start_sft_pipeline.py" --config_path "$config" --config_name 01-warmup
latest=$(newest /ckpt/warmup)
[[ -n $latest ]] || { echo "stage warmup left no checkpoint in" /ckpt/warmup >&2; exit 1; }
export WARMUP_CHECKPOINT="$latest"

python "$ROLL/examples/start_rlvr_pipeline.py" --config_path "$config" --config_name 02-rl
