#!/usr/bin/env bash
# Comments behind arguments: a substitution of nothing is nothing.
python3 -m verl.trainer.main_ppo \
    a.b=1 `# KL off` \
    a.c=2 `# don't "care" $X` `#` \
    a.d=3$(
    # nothing here either
    ) a.e="`# quoted`" \
    a.f=4
