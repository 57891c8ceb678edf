#!/usr/bin/env bash
cat <<EOF > /dev/null
python3 -m app.main not=a launch $(never) "unbalanced
EOF
cat <<'END' | python3 - 
import sys
END
python3 - <<-TAB
	print("x")
	TAB
cat <<A <<B
a
A
b
B
python3 -m app.main after=1 <<< "here string"
python3 -m app.main after=2 <<EOF
input
EOF
python3 -m app.main after=3
