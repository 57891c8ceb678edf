"""Answers and truths for rules: drawn by a seed, right ones, nearly right ones, and what breaks a reader of LaTeX."""

import random

SIGNS = "0123456789abcxyz+-*/=.,:;!?%$_^{}()[]\\ \n\t#<>éπ√∞²٣“”中’"
WORDS = (
    "Answer:", "answer is", "the answer is", "is the answer", "so", "thus", "x =", "k=", "\\boxed{", "}", "\\boxed ", "\\fbox{",
    "#### ", "<think>", "</think>", "<answer>", "</answer>", "Step 2:", ". ", "\n", "$", "\\text{ cm}", "\\text{and}", "\\left(",
    "\\right)", "\\frac", "\\dfrac12", "\\tfrac{1}{2}", "\\sqrt", "\\sqrt3", "^\\circ", "^{\\circ}", "\\%", "\\\\%", "\\\\", "\\!",
    "\\$", "\\pi", "million", " or ", " and ", "dollars", "square", "The", "a", "an", "{,}", "1,234", "\\begin{pmatrix}", "\\end{pmatrix}",
    "&", "Interval(1, 2)", "Interval.open(0,1)", "Point(1,2)", "Matrix([[1],[2]])", "[1, 2]", "inf", "nan", "1e5", "0.5", ".5", "\\mbox{a}",
    "\\overline{AB}", "\\textbf{7}", "\\begin{align}", "\\infty", "\\cup", "12_3", "7 3/4", "\\mathrm{th}", "\\ldots", "\\ ", "- 3",
)  # fmt: skip


def number(draw):
    """Return a number as people write one."""
    whole = draw.choice((draw.randint(-9, 9), draw.randint(-99999, 99999), draw.randint(0, 30)))
    forms = (
        str(whole), f"{whole:,}", f"{whole}.0", f"{whole}.", f"{whole / 8}", f"{whole}%", f"{whole}\\%", f"${whole}", f"\\${whole}",
        f"{whole}^\\circ", f"{whole} cm", f"{whole}\\text{{ cm}}", f"{whole}\\text{{ cm}}^2", f"{whole}\\pi", f"{whole} million",
        f"-{whole}", f"{whole}e2", f"{whole}\\\\%", f"0{whole}", f" {whole} ", f"{whole},000", f"{whole} degrees", f"{whole}_8",
    )  # fmt: skip
    return draw.choice(forms)


def expression(draw):
    """A short answer of mathematics."""
    a, b, c = draw.randint(-9, 20), draw.randint(1, 12), draw.randint(0, 9)
    forms = (
        f"\\frac{{{a}}}{{{b}}}", f"\\dfrac{{{a}}}{{{b}}}", f"\\frac{c}{b}", f"{a}/{b}", f"{a * 2}/{b * 2}", f"{a / b:.4f}", f"\\sqrt{{{b}}}",
        f"\\sqrt{c}", f"{a}\\sqrt{{{b}}}", f"({a}, {b})", f"({a},{b})", f"[{a}, {b})", f"\\left({a}, {b}\\right)", f"x={a}", f"k = {a}",
        f"{c} {a}/{b}", f"x^2+{c}x+{b}", f"{b}+x^2+{c}x", f"(x+{c})(x+{b})", f"\\frac{{{a}\\pi}}{{{b}}}", f"{a}\\pi", f"{a * 3.14:.2f}",
        f"\\text{{{draw.choice(('yes', 'Even', 'Monday', '(B)'))}}}", f"\\begin{{pmatrix}} {a} \\\\ {b} \\end{{pmatrix}}", f"[{a},{b}]",
        f"[[{a}, {b}], [{c}, {a}]]", f"\\begin{{pmatrix}}{a}&{b}\\{c}&{a}\\end{{pmatrix}}", f"{{{a}, {b}}}", f"{a}, {b}", f"{a} and {b}",
        f"{a} or {b}", f"(-\\infty, {a})", f"2^{{{c}}}", f"2^{c}", f"\\log_{{{b}}} {c}", f"{a}x", f"{a}*x", f"x*{a}", "", " ", f"0.{c}", f".{c}",
        f"Interval({a}, {b})", f"Interval.Ropen({a}, {b})", f"Matrix([[{a}], [{b}]])", f"Point({a}, {b})", f"\\boxed{{{a}}}", f"\\frac{{{a}",
        f"{a}\\text{{ or }}{b}", f"{{{a}}}", f"10^{{{c}}}", f"{a}\\%", "\\frac", "\\sqrt", f"{a}!", f"the {a} a", f"{a};{b}",
    )  # fmt: skip
    return draw.choice(forms)


def noise(draw):
    """Signs and marks in any order."""
    if draw.random() < 0.5:
        return "".join(draw.choice(SIGNS) for _ in range(draw.randint(0, 24)))
    return "".join(draw.choice((*WORDS, " ", number(draw))) for _ in range(draw.randint(0, 9)))


def value(draw):
    return draw.choice((number, expression, number, expression, noise))(draw)


def near(draw, text):
    """The same in another form, or almost the same."""
    changes = (
        lambda: text, lambda: text, lambda: f" {text}", lambda: f"{text} ", lambda: f"${text}$", lambda: text.replace(" ", ""),
        lambda: text.upper(), lambda: text.replace("frac", "dfrac"), lambda: f"{text}.", lambda: f"x = {text}", lambda: f"\\text{{{text}}}",
        lambda: text.replace("{", "").replace("}", ""), lambda: f"{text}\\text{{ m}}", lambda: text[:-1], lambda: text + "0", lambda: f"-{text}",
        lambda: text.replace(",", ""), lambda: f"\\boxed{{{text}}}", lambda: f"{{{text}}}", lambda: f"({text})", lambda: f"{text}%",
        lambda: f"the {text}", lambda: text.replace("(", "[").replace(")", "]"), lambda: value(draw), lambda: noise(draw),
    )  # fmt: skip
    return draw.choice(changes)()


def answer(draw, truth):
    """What a model could write to say it."""
    text = near(draw, truth)
    forms = (
        f"\\boxed{{{text}}}", f"so $\\boxed{{{text}}}$.", f"\\boxed {text}$ x", f"\\fbox{{{text}}}", f"#### {text}", f"7 #### {text}\n#### {text}",
        f"Answer: {text}", f"Answer: 1\nthus answer : {text}\nok", f"Answer: ${text}$", f"Answer: \\boxed{{{text}}}", f"<answer>{text}</answer>",
        f"<answer> {text}\n</answer> <answer>{text}</answer>", "<answer>" * 11 + f"{text}</answer>", f"<think>a</think><answer>{text}</answer>",
        f"<think>\nso\n</think>\n<answer>\n{text}\n</answer>", f"<think>b</think> \\boxed{{{text}}}", f"The answer is {text}. Good", f"{text} is the answer",
        f"we get {text}", f"Step 2: it is \\boxed{{{text}}}", text, f"{text}\n", f"{'long ' * 80}#### {text}", f"#### {text}{' and on' * 60}",
        f"\\boxed{{{text}}} {'or so ' * 30}", f"\\boxed{{1}} then \\boxed{{{text}}}", f"\\boxed{{a{{{text}}}b}}", f"\\boxed{{{text}", f"$x = {text}$",
        f"\\[ {text} \\]", f"\\( {text} \\)", f"**{text}**", f"{noise(draw)}\\boxed{{{text}}}{noise(draw)}", f"{noise(draw)}Answer: {text}{noise(draw)}",
        f"<answer>{noise(draw)}</answer>\\boxed{{{text}}}", noise(draw), "", f"Therefore, the final answer is: $\\boxed{{{text}}}$. I hope it is correct.",
    )  # fmt: skip
    return draw.choice(forms)


def pairs(seed, count, mark="{}"):
    """Draw `count` answers, each with its truth; a part of them in the form of `mark`, which the rule looks for."""
    draw = random.Random(seed)
    for _ in range(count):
        truth = value(draw) if draw.random() < 0.9 else str(draw.randint(-99, 9999))
        yield mark.format(near(draw, truth)) if draw.random() < 0.15 else answer(draw, truth), truth
