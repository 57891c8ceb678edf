#!/usr/bin/env bash
for bs in 8 16; do
  for lr in 1e-6 5e-7; do
    python3 -m app.main bs=$bs lr=$lr name=run_${bs}_$lr
  done
done
python3 prepare.py --out x
python3 -m other.module y=1
