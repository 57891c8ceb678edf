#!/usr/bin/env bash
declare -A M=([alpha]=1 [beta]="two words" [gamma]=3)
M[delta]=4
key=beta
python3 -m app.main "${M[alpha]}" "${M[$key]}" "${#M[@]}" "${M["gamma"]}" "${M[none]:-d}"
for k in "${!M[@]}"; do args+=("$k=${M[$k]}"); done
python3 -m app.main "${args[@]}" "${M[@]}"
unset "M[alpha]"; M[beta]+=!
python3 -m app.main "${#M[@]}" "${M[beta]}"
