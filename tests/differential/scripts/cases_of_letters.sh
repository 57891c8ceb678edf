#!/usr/bin/env bash
x=hello; y=WORLD; z=aBc
python3 -m app.main ${x^} ${x^^} ${y,} ${y,,} ${z^^b} ${x^^[l-o]} ${z,,[A-B]}
