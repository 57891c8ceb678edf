"""Random small scripts that are safe to run: they assign, expand, compute, branch, loop, and start `python3`."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = st.sampled_from(["a", "b", "c", "d"])
LISTS = st.sampled_from(["A", "B"])
WORDS = st.sampled_from(
    ["x", "1", "12", "1e-6", "a/b.c", "x.y=z", "two words", "", " lead", "/p/q/r.tar.gz", "A*b", "[1,2]", "it", "07"]
)
NUMBERS = st.integers(0, 20)
PLAIN = st.sampled_from(
    ["x", "key=1", "a.b=2", "+k=v", "[0.9,0.98]", "/p/q", "{a,b}", "{1..3}", "x{y,}z", "'q r'", '"s t"']
)
PATTERNS = st.sampled_from(["*/", "/*", ".*", "*.", "a", "?", "[a-c]*", "x*", "*b", '"*"'])
OPERATORS = st.sampled_from(["+", "-", "*", "<", ">", "<=", "==", "!=", "&&", "||", "&", "|", "^", "<<", "%", "/"])
EXPANSIONS = st.one_of(
    NAMES.map(lambda n: f"${n}"),
    NAMES.map(lambda n: f"${{{n}}}"),
    NAMES.map(lambda n: f"${{#{n}}}"),
    st.builds(
        lambda n, op, w: f"${{{n}{op}{w}}}",
        NAMES,
        st.sampled_from([":-", "-", ":+", "+"]),
        st.one_of(WORDS, NAMES.map("${}".format)),
    ),
    st.builds(lambda n, op, p: f"${{{n}{op}{p}}}", NAMES, st.sampled_from(["#", "##", "%", "%%"]), PATTERNS),
    st.builds(
        lambda n, op, p, w: f"${{{n}{op}{p.replace('/', 'q')}/{w}}}",
        NAMES,
        st.sampled_from(["/", "//", "/#", "/%"]),
        PATTERNS,
        st.sampled_from(["", "Z", "y/z"]),
    ),
    st.builds(lambda n, o, k: f"${{{n}:{o}:{k}}}", NAMES, NUMBERS, NUMBERS),
    st.builds(lambda n, o: f"${{{n}: -{o}}}", NAMES, st.integers(1, 4)),
    st.builds(lambda n, op: f"${{{n}{op}}}", NAMES, st.sampled_from(["^", "^^", ",", ",,"])),
    st.builds(lambda n, i: f"${{{n}[{i}]}}", LISTS, st.integers(0, 3)),
    LISTS.map(lambda n: f"${{#{n}[@]}}"),
    LISTS.map(lambda n: f"${{{n}[*]}}"),
    LISTS.map(lambda n: f"${{{n}[@]}}"),
    LISTS.map(lambda n: f"${{!{n}[@]}}"),
    st.builds(lambda n, o, k: f"${{{n}[@]:{o}:{k}}}", LISTS, st.integers(0, 3), st.integers(0, 3)),
)
ARITHMETIC = st.recursive(
    st.one_of(NUMBERS.map(str), st.sampled_from(["i", "j", "$i", "${j}"])),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, OPERATORS.filter(lambda op: op not in "%/"), inner),
        st.builds("{} {} {}".format, inner, OPERATORS.filter(lambda op: op not in "%/"), inner),
        st.builds("({}) {} {}".format, inner, st.sampled_from(["/", "%"]), st.integers(1, 9)),
        st.builds("{} ? {} : {}".format, inner, inner, inner).map("({})".format),
        st.builds("{}({})".format, st.sampled_from(["-", "!", "~", "+"]), inner),
    ),
    max_leaves=5,
)
ARGUMENT = st.one_of(
    PLAIN,
    EXPANSIONS,
    EXPANSIONS.map('"{}"'.format),
    st.builds("k={}".format, EXPANSIONS),
    st.builds('"{}-{}"'.format, EXPANSIONS, EXPANSIONS),
    st.builds("{}{}".format, EXPANSIONS, EXPANSIONS),
    ARITHMETIC.map("$(({}))".format),
)
LAUNCH = st.lists(ARGUMENT, min_size=1, max_size=4).map(lambda words: "python3 -m app.main " + " ".join(words))
VALUE = st.one_of(WORDS.map("'{}'".format), EXPANSIONS.map('"{}"'.format), EXPANSIONS, ARITHMETIC.map("$(({}))".format))
SIMPLE = st.one_of(
    LAUNCH,
    st.builds("{}={}".format, NAMES, VALUE),
    st.builds("{}+={}".format, NAMES, VALUE),
    st.builds("{}=({} {})".format, LISTS, ARGUMENT, ARGUMENT),
    st.builds("{}+=({})".format, LISTS, ARGUMENT),
    st.builds("{}[{}]={}".format, LISTS, st.integers(0, 4), VALUE),
    st.builds("i=$(({}))".format, ARITHMETIC),
    st.builds("(( j = {} ))".format, ARITHMETIC),
    st.builds("unset {}".format, NAMES),
    st.builds("set -- {} {}\npython3 -m app.main $# \"$@\" $1".format, ARGUMENT, ARGUMENT),
)  # fmt: skip
CONDITION = st.one_of(
    st.builds('[ "{}" = {} ]'.format, EXPANSIONS, st.sampled_from(["x", "1", "''"])),
    st.builds("[[ {} == {} ]]".format, EXPANSIONS, PATTERNS),
    st.builds("[[ -{} {} && $i -lt {} ]]".format, st.sampled_from("nz"), EXPANSIONS, NUMBERS),
    st.builds("(( {} ))".format, ARITHMETIC),
    st.builds("[ $i -{} {} ]".format, st.sampled_from(["eq", "ne", "gt", "le"]), NUMBERS),
)
STATEMENT = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.builds("if {}; then\n{}\nelse\n{}\nfi".format, CONDITION, inner, inner),
        st.builds("for a in {} {}; do\n{}\ndone".format, ARGUMENT, ARGUMENT, inner),
        st.builds("{} && {{ {}; }}".format, CONDITION, inner),
        st.builds(
            "case {} in {}) {} ;; *) {} ;; esac".format,
            EXPANSIONS,
            PATTERNS.map(lambda p: p.replace(" ", "")),
            inner,
            inner,
        ),
        st.builds("f() {{\nlocal b=$1\n{}\n}}\nf {}".format, inner, ARGUMENT),
        st.builds("( {} )".format, inner),
    ),
    max_leaves=4,
)
START = "a=x b='two words' c=/p/q/r.tar.gz d= i=3 j=4\nA=(one 'two 2' three) B=()\n"
SCRIPTS = st.lists(STATEMENT, min_size=1, max_size=8).map(
    lambda body: START + "\n".join(body) + "\npython3 -m app.main end\n"
)
