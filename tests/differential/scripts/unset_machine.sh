# unknowns
python3 -m app.main model=$MODEL_PATH n=${NODES} "$MODEL_PATH/x" home=$HOME/data who=$USER $((GPUS * 4)) bs=$((BS * 2 + 1)) "${NAME##*/}" pid=$$ tail=1
python3 -m app.main a=1 $EXTRA b=2
