#!/usr/bin/env bash
x=abc; n=5; e=
t() { python3 -m app.main "$@"; }
[ "$x" = abc ] && t 1
[ "$x" == abc ] && t 2
[ "$x" != abd ] && t 3
[ -z "$e" ] && t 4
[ -n "$x" ] && t 5
[ $n -eq 5 ] && t 6
[ $n -gt 4 -a $n -lt 6 ] && t 7
[ $n -gt 9 -o "$x" = abc ] && t 8
[ ! "$x" = b ] && t 9
test "$x" = abc && t 10
[ "$x" ] && t 11
[ "$e" ] || t 12
[ -z $e ] && t 13
[ "${unset_a:-gpu}" = gpu ] && { [ "$n" = 5 ] || [ "$n" = 6 ]; } && t 14
if [ "$#" -lt 2 ]; then t few; else t many; fi
if ! [ "$x" = b ]; then t 15; fi
if [ "$n" -ge 5 ] ; then t 16 ; elif [ $n -lt 1 ]; then t no; fi
