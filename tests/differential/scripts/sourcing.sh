#!/usr/bin/env bash
source ./sourced_settings.inc
. sourced_settings.inc one two
python3 -m app.main from=$from_settings args="$settings_args" n=$#
in_settings 7
