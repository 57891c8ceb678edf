# unknowns
base=$ROOT/models/Qwen2.5-7B.gguf
python3 -m app.main ${base##*/} ${base%.*} ${base%/*} name=$(basename $base) len=${#base} up=${base^^} sub=${base/models/m} def=${base:-x} alt=${base:+set} cut=${base:0:4} end=1
python3 -m app.main ${OTHER##*/} "${OTHER:+x}" ${OTHER:-given} half=$((WORLD / 2)) mod=$((WORLD % 3)) cmp=$((WORLD > 4)) neg=$((-WORLD)) tern=$((WORLD > 4 ? 1 : 2)) end=2
