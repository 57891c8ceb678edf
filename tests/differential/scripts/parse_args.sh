# args: --model qwen --lr 1e-5 --flag extra=1
flag=0
while [[ $# -gt 0 ]]; do
  case "$1" in
    --model) model="$2"; shift 2 ;;
    --lr) lr=$2; shift 2;;
    --flag) flag=1; shift ;;
    *) break ;;
  esac
done
python3 -m app.main model=$model lr=$lr flag=$flag "$@"
