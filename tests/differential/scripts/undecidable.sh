# unknowns
args=(a=1)
if [ -f /etc/nothing-here ]; then args+=(b=2); mode=file; else mode=none; fi
if nvidia-smi; then n=8; fi
[ -d /nowhere ] && x=1
device=${DEVICE:-$(python3 -c 'import torch_npu' && echo npu || echo gpu)}
case "$device" in
  gpu) ;;
  npu) args+=(npu=1); n=16 ;;
  *) exit 1 ;;
esac
[ -n "$SOMETHING" ] && { python3 -m app.main only=sometimes; }
if [ "$device" = gpu ]; then L=(python3); else L=(uv run python3); fi
"${L[@]}" -m app.main "${args[@]}" mode=$mode n=${n:-4} x=${x:-0} tail=1
command_that_fails || exit 1
while ! check_ready; do sleep 1; tries=$((tries + 1)); done
python3 -m app.main tries=${tries:-0} end=1
for f in $FILES; do python3 -m app.main file=$f; last=$f; done
python3 -m app.main last=$last end=2
f() { if [ -e /nowhere ]; then return; fi; after=1; }
f
python3 -m app.main after=$after end=3
for i in 1 2 3; do if [ -e /nowhere ]; then break; fi; k=$i; done
python3 -m app.main k=$k end=4
read -r answer < /dev/null
python3 -m app.main answer=$answer end=5
