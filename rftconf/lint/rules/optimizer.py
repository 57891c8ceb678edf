from rftconf.lint.rule import Family
FAMILY = Family("OPT")
