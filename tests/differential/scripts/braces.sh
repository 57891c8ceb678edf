#!/usr/bin/env bash
python3 -m app.main {a,b}{1,2} x{1..3}y {c..e} {01..03} {5..1..2} pre{,fix} {single} {} a{b "{q,r}" {a,{b,c}d} file.{py,sh} ${x:-{y} $'{a,b}' opt={1,2} \{a,b\}
python3 -m app.main +a.b={"k":1} "{x:1,y:2}" '{x:1}' betas=[0.9,0.98] {-1..1} {a..e..2} {1.5..2}
x={a,b}; python3 -m app.main "$x"
