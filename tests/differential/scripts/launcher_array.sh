#!/usr/bin/env bash
LAUNCH=(python3)
if [ "${USE_UV:-1}" != 0 ]; then LAUNCH=(uv run --extra "vllm" python3); fi
"${LAUNCH[@]}" -m app.main a=1
CMD="python3 -m app.main"
$CMD b=2
PY=${PY:-python3}; $PY -m app.main c=3; MODULE=app.main; python3 -m $MODULE d=4; python3 -m "${MODULE}" e=5
