#!/usr/bin/env bash
backend=megatron; est=gae
if [[ $backend == fsdp ]]; then c=1
elif [[ $backend == "megatron" ]]; then
  c=2
  if [[ $est == "gae" ]]; then d=critic; else d=; fi
else c=3; fi
if [ "$c" = 2 ]; then E=(x=1); E+=(y=2); else E=(z=3); fi
if true; then :; fi; if false; then e=1; else e=2; fi
python3 -m app.main c=$c d=$d "${E[@]}" e=$e
