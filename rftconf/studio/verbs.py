"""The questions that a page may ask: the server knows their names, the processes that answer know the functions."""

NAMES = (
    *("convert", "ledger", "bundle", "check", "fix", "budget", "front", "apply"),
    *("diff", "keys", "explain", "new", "start"),
)
