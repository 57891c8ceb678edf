#!/usr/bin/env bash
name=target; target=value; arr=(p q); ref=arr[1]
python3 -m app.main ${!name} ${!ref} "${!name:-x}"
nothing=none_such
