#!/usr/bin/env bash
NPROC=8
torchrun --standalone --nnodes=1 --nproc_per_node=$NPROC -m app.main model.n=1
torchrun --nproc_per_node $NPROC train.py --lr 1e-5
accelerate launch --num_processes 4 -m app.main a=1
deepspeed --num_gpus 8 run.py --x 1
uv run --frozen --extra vllm python3 -m app.main uv=1
uv run script.py uv=2
srun -N 1 python3 -u -m app.main srun=1
timeout 10h python3 -m app.main t=1
python3 -u -X dev -W ignore tools/convert.py --in x
python3 -c 'print(1)'
python3 main.py
python train.py a=1
