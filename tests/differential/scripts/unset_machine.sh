# unknowns
python3 -m app.main model=$MODEL_PATH n=${NODES} "$MODEL_PATH/x" $EXTRA home=$HOME/data who=$USER $((GPUS * 4)) bs=$((BS * 2 + 1)) "${NAME##*/}" pid=$$ tail=1
