"""A page on this machine that asks what the command line asks; only `rftconf studio` imports it."""
