#!/usr/bin/env bash
python3 -m app.main *.none a?b [abc] data.files=[/a/*.parquet] 'x*' "y?"
