#!/usr/bin/env bash
python3 -m app.main "$#" "$@" "[$*]" "${1:-none}" "${3-third}"
set -- "a b" c d e f g h i j k
python3 -m app.main "$#" "$1" "$2" "${10}" "${@:2:2}" "${@: -1}" "$*" $1 "${*:3:1}"
shift; shift 2
python3 -m app.main $# "$@"
set --
python3 -m app.main $# "$@"
