# unknowns
d=$(date +%Y%m%d)_$(date "+%H:%M)")
e=`hostname`
p=$(pwd)
n=$(printf 8)
k=$(case x in x) echo hi;; esac)
python3 -m app.main name=run_$d host=$e cwd=$p n=$n m=$((n * 2)) "k=$k" known=1 "$(cat <<EOF
text ) "
EOF
)"
dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
python3 -m app.main "dir=$dir/x" b=$(basename "$p") after=2
