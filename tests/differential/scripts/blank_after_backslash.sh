#!/usr/bin/env bash
python3 -m app.main a=1 \ 
b=2
python3 -m app.main c=3
