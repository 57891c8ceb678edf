#!/usr/bin/env bash
x=abc; n=5; e=; f="a b"
t() { python3 -m app.main "$@"; }
[[ $x == abc ]] && t 1
[[ $x == a* ]] && t 2
[[ $x == "a*" ]] || t 3
[[ $x != b* && -n $x ]] && t 4
[[ -z $e || $n -gt 9 ]] && t 5
[[ ! -n $e ]] && t 6
[[ ( $n -eq 5 || $n -eq 6 ) && $x = abc ]] && t 7
[[ $x =~ ^a.c$ ]] && t 8
[[ $x =~ ^b ]] || t 9
[[ $f == "a b" ]] && t 10
[[ $n -le n && n -ge 5 && $n -lt 6 && $n -ne 4 ]] && t 11
[[ $x == @(abc|def) ]] && t 12
[[ $x == [a-c]b? ]] && t 13
[[ abc < abd ]] && t 14
[[ $x ]] && t 15
[[ $e ]] || t 16
[[ $x == +([a-z]) && $x != *(x|y) ]] && t 17
if [[ $n -gt 3 ]] && [[ $x == a* ]]; then t 18; elif true; then t no; else t no; fi
pat='a*'; [[ $x == $pat ]] && t 19; [[ $x == "$pat" ]] || t 20
