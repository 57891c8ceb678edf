#!/usr/bin/env bash
t() { python3 -m app.main "$@"; }
for m in dppo vanilla "other one" x.y 7B; do
  case $m in
    dppo|kl) t clip=0.15 ;;
    (vanilla) t clip=0.2 ;;
    other*) t "rest $m";;
    *.y) t dotted ;;
    [0-9]B) t number
    ;;
    *) t none ;;
  esac
done
case a in a) t fall ;& b) t through ;; c) t no ;; esac
case ab in a*) t one ;;& *b) t two ;; *) t no ;; esac
case "$m" in "7"*) t quoted;; esac
case ":/usr/bin:" in *:/usr/bin:*) t path;; esac
case none in x) t no;; esac
