// What the pages have in common while the page is open: the text, its name, how it is read. Nothing of it is kept.

import { FRAMEWORKS } from "./frameworks.js";

// The options under which a text is read; each is absent until somebody gives it.
export const readAsWritten = () => ({ from: "", from_release: "", launch: null, args: "", assume: {}, sources: [], base: null });

export const shared = { text: "", name: "", how: readAsWritten() };

export const TITLES = Object.fromEntries(FRAMEWORKS);

export const EXAMPLE = `#!/usr/bin/env bash
# GRPO on GSM8K with Qwen2.5-7B: one node of eight GPUs.
set -xeuo pipefail

MODEL_PATH=\${MODEL_PATH:-Qwen/Qwen2.5-7B-Instruct}
DATA=$HOME/data/gsm8k
PROMPTS=512
MINI=128
N=8

python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    algorithm.use_kl_in_reward=False \\
    data.train_files="$DATA/train.parquet" \\
    data.val_files="$DATA/test.parquet" \\
    data.train_batch_size=$PROMPTS \\
    data.max_prompt_length=512 \\
    data.max_response_length=1024 \\
    data.filter_overlong_prompts=True \\
    actor_rollout_ref.model.path="$MODEL_PATH" \\
    actor_rollout_ref.actor.optim.lr=1e-6 \\
    actor_rollout_ref.actor.ppo_mini_batch_size=$MINI \\
    actor_rollout_ref.actor.use_dynamic_bsz=True \\
    actor_rollout_ref.actor.ppo_max_token_len_per_gpu=$((4 * (512 + 1024))) \\
    actor_rollout_ref.actor.use_kl_loss=True \\
    actor_rollout_ref.actor.kl_loss_coef=0.001 \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.n=$N \\
    actor_rollout_ref.rollout.tensor_model_parallel_size=2 \\
    actor_rollout_ref.rollout.gpu_memory_utilization=0.6 \\
    trainer.n_gpus_per_node=8 \\
    trainer.nnodes=1 \\
    trainer.save_freq=20 \\
    trainer.test_freq=5 \\
    trainer.total_epochs=15 "$@"
`;
