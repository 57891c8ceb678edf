#!/bin/bash
#SBATCH --nodes=2
# A script that grew: defaults, branches, arrays, functions, a log file.
set -euo pipefail
cd "$(dirname "$0")/.."
source ./env.sh

MODEL_SIZE=${MODEL_SIZE:-7b}
: "${WANDB_PROJECT:=reasoning}"
RUN_NAME=${RUN_NAME:-grpo_${MODEL_SIZE}_$(date +%m%d)}
DEBUG=${DEBUG:-0}
DATA_ROOT=/mnt/data
NODES=2
export HYDRA_FULL_ERROR=1 WANDB_API_KEY=abcdefabcdefabcdefabcdefabcdefabcdefabcd

if [[ "$MODEL_SIZE" == "7b" ]]; then
  MODEL=/models/Qwen2.5-7B TP=2 LR=1e-6
elif [[ "$MODEL_SIZE" == "32b" ]]; then
  MODEL=/models/Qwen2.5-32B TP=8 LR=5e-7
else
  echo "unknown size $MODEL_SIZE" >&2; exit 1
fi

files=()
for name in math code; do
  files+=("'$DATA_ROOT/$name/train.parquet'")
done
train_files="[$(IFS=,; echo "${files[*]}")]"
train_files="['$DATA_ROOT/math/train.parquet','$DATA_ROOT/code/train.parquet']"

declare -A CLIP=([low]=0.2 [high]=0.28)
batch() { :; }
case "$NODES" in
  1) BS=256 ;;
  2|4) BS=512 ;;
  *) BS=1024 ;;
esac
MINI=$((BS / 4))

common_args=(
  data.train_files="$train_files"
  data.val_files="$DATA_ROOT/math/test.parquet"   # only math
  data.train_batch_size=$BS
  data.max_prompt_length=2048
  data.max_response_length=6144
  data.filter_overlong_prompts=True
)
actor_args=(
  actor_rollout_ref.model.path=$MODEL
  actor_rollout_ref.actor.optim.lr=$LR
  actor_rollout_ref.actor.ppo_mini_batch_size=$MINI
  actor_rollout_ref.actor.use_dynamic_bsz=True
  actor_rollout_ref.actor.ppo_max_token_len_per_gpu=$(( (2048 + 6144) * 2 ))
  actor_rollout_ref.actor.clip_ratio_low=${CLIP[low]}
  actor_rollout_ref.actor.clip_ratio_high=${CLIP[high]}
)
actor_args+=(actor_rollout_ref.actor.use_kl_loss=False)
if ((DEBUG)); then
  common_args+=(trainer.total_training_steps=2 trainer.val_before_train=False)
fi

run() {
  PYTHONUNBUFFERED=1 python3 -m verl.trainer.main_ppo \
    algorithm.adv_estimator=grpo \
    "${common_args[@]}" "${actor_args[@]}" "$@" \
    trainer.project_name="$WANDB_PROJECT" \
    trainer.experiment_name=grpo_${MODEL_SIZE} \
    2>&1 | tee "logs/${RUN_NAME}.log"
}

run actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.tensor_model_parallel_size=$TP \
    actor_rollout_ref.rollout.n=8 \
    trainer.n_gpus_per_node=8 trainer.nnodes=$NODES \
    trainer.save_freq=20 trainer.test_freq=20 \
    trainer.total_epochs=3 trainer.save_freq=40
