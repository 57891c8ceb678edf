#!/usr/bin/env bash
lr=1e-6
ACTOR="
    actor.lr=$lr \
    actor.clip=0.2
    actor.name='q'"
ROLLOUT="rollout.n=5 $ACTOR"
CRITIC="${ACTOR//actor/critic}"
python3 -m app.main \
    $ACTOR \
    $ROLLOUT \
    $CRITIC last=1
