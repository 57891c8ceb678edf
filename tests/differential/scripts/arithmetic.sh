#!/usr/bin/env bash
a=7 b=3 h=0x1f o=010
python3 -m app.main $((a + b)) $((a - b * 2)) $(( (a - b) * 2 )) $((a / b)) $((a % b)) $((-a / b)) $((-a % b)) $((a ** b)) $((2 ** 3 ** 2)) \
  $((a > b)) $((a == 7 && b != 3)) $((a || 0)) $((!a)) $((~a)) $((a & b)) $((a | b)) $((a ^ b)) $((a << 2)) $((a >> 1)) $((a > b ? 10 : 20)) \
  $((h)) $((o)) $((16#ff)) $((2#101)) $(($a * ${b})) $((a, b)) $((1 ? 2 : 0 ? 3 : 4)) $(( -a )) $((+a)) $((- -a))
python3 -m app.main $((a += 5)) $a $((a++)) $a $((++a)) $((a--)) $a $((b *= a)) $b $((c = a = 4)) $c $a $((b <<= 1)) $((b %= 7)) $((b |= 8))
e="a + 1"; python3 -m app.main $((e * 2)) $(($e * 2)) "$((a*2))k" x=$((a*1024))
python3 -m app.main $((9223372036854775807 + 1)) $((0 && (z = 5))) ${z:-unset} $(( a == 4 ? (b = 1) : (b = 2) )) $b
((a > 3)) && python3 -m app.main yes || python3 -m app.main no
((a == 0)) || python3 -m app.main zero
if ((a % 2 == 0)); then even=1; else even=0; fi
((count = a * 3)); let "d = a + 1" e=d*2
let f=d+e
python3 -m app.main $even $count $d $e $f
