"""Numbers that hang on conditions: the divisor of all that they can be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rftconf.base.choices import divisor_of_choices
from rftconf.base.symbols import Branch, Number, Var

CONDITION = '[ "$TASK" = math ]'


def test_both_arms_of_a_condition_are_divided() -> None:
    update = Branch(CONDITION, 128, 192) * 8
    assert divisor_of_choices(update) == 512
    assert divisor_of_choices(update + 4) == 4


def test_an_unknown_part_leaves_all_unknown() -> None:
    assert divisor_of_choices(Branch(CONDITION, 128, Var("N"))) is None
    assert divisor_of_choices(Var("N") * 8) is None
    assert divisor_of_choices("128") is None
    assert divisor_of_choices(True) is None


numbers = st.recursive(
    st.integers(0, 99).map(lambda n: (n, n)),
    lambda parts: st.tuples(st.sampled_from("+-*?"), parts, parts).map(lambda parts: _joined(*parts)),
    max_leaves=6,
)


def _joined(op: str, left: tuple[Number, int], right: tuple[Number, int]) -> tuple[Number, int]:
    """Return an expression, and what it is where each of its conditions holds."""
    if op == "?":
        return Branch(CONDITION, left[0], right[0]), left[1]
    calculated = {"+": left[1] + right[1], "-": left[1] - right[1], "*": left[1] * right[1]}[op]
    first, second = left[0], right[0]
    return (first + second if op == "+" else first - second if op == "-" else first * second), calculated


@given(numbers)
def test_what_a_number_is_under_its_conditions_is_a_multiple(number: tuple[Number, int]) -> None:
    divisor = divisor_of_choices(number[0])
    assert divisor is not None
    assert number[1] % divisor == 0 if divisor else number[1] == 0
