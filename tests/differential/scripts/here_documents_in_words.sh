#!/usr/bin/env bash
# Here-documents that become words: through cat, and through read.
N=4
OPTS=$(cat <<'EOT'
a.b=1
a.c=$N 'x' \y

EOT
)
MORE="$(cat <<EOT
a.d=$N
  a.e=\$N
EOT
)"
read -r -d '' READ <<'EOT' || true
  a.f=1
a.g=$N
EOT
IFS= read -r -d '' WHOLE <<EOT
  a.h=$N
EOT
read -rd '' TIGHT <<< "a.i=$N  "
python3 -m verl.trainer.main_ppo $OPTS $MORE $READ "$WHOLE;" "$TIGHT" x=$(cat <<< "$N") $(cat <<-EOT
	a.j=$N
	EOT
) a.k="$(cat <<EOT
EOT
)" a.l=1
python3 -m verl.trainer.main_ppo "$OPTS" "$READ"
