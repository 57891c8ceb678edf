#!/usr/bin/env bash
v='a b'
python3 -m app.main 'it''s' "a \"b\" \\ \$v \n" a\ b a\"b $'tab\there\x41\u00e9\'q\'' $"plain" "" '' a"" "'$v'" '"$v"' \
  trainer.logger='["console","wandb"]' data.files="['/a b/c.parquet','$v']" dollar$ "$" a=$ "cost: 5$"
python3 -m app.main "multi
line" 'multi
line' a=\
b "c=\
d"
