#!/usr/bin/env bash
# Written by rftconf: the stages in order, each from the last checkpoint of the one before.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

newest() { # the last checkpoint below a run's folder
  find "$1" -maxdepth 1 -type d -name 'global_step_*' | sort -V | tail -n 1
}

bash "$here/01-warmup.sh"
latest=$(newest /ckpt/staged/sft_grpo/warmup)
[[ -n $latest ]] || { echo "stage warmup left no checkpoint in" /ckpt/staged/sft_grpo/warmup >&2; exit 1; }
export WARMUP_CHECKPOINT="$latest/huggingface"

bash "$here/02-rl.sh" "$@"
