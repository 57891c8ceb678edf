#!/usr/bin/env bash
python3 -m app.main ~ ~/data "~/no" a~b x=~/yes data.path=~/no '~' \~ "$HOME" $HOME/data ${HOME}/x
p=~/a:~/b; q=~; python3 -m app.main "$p" "$q" ${r:-~/d}
