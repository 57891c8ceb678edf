# args: one "two words" trainer.n=4
x=$1
shift
python3 -m app.main first=$x "$@" rest="$*" $@ "a$@b" ${@:1:1} $#
