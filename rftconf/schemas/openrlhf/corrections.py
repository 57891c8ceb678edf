"""Edits between OpenRLHF's releases for flags that only mean something together: corrections, lengths, number types."""

from __future__ import annotations

from collections.abc import Iterable

from rftconf.base.record import record
from rftconf.base.symbols import Expr, arith
from rftconf.schemas.edits import C, Cell, Change, KeepsNames, with_value

PREFIX = "algo.advantage.is_correction_"
ENABLE, TYPE, LEVEL, MODE, GATING, BAND = (
    PREFIX + name for name in ("enable", "type", "level", "mode", "gating", "threshold")
)
WORDS = {"tis": ("token", "clip"), "icepop": ("token", "mask"), "seq-mask-tis": ("seq", "mask")}
"""A type of correction up to 0.11.0 to the level and the mode that say it since (openrlhf/models/loss.py of both)."""


def _unknown(cell: Cell | None) -> list[Change]:
    return [] if cell is None else [Change(TYPE, cell, (), "no such correction is known", True)]


@record
class Correction:
    """A switch and a type became a level, a mode and a statistic."""

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the two older flags."""
        return frozenset({ENABLE, TYPE}.intersection(keys))

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Write level and mode of the type; without the switch nothing is corrected."""
        switch, kind = flat.pop(ENABLE, None), flat.pop(TYPE, None)
        if switch is None and kind is None:
            return []
        on = switch is not None and bool(switch.value)
        word = "tis" if kind is None else kind.value
        done: list[Change] = []
        if not isinstance(word, str) or word not in WORDS:
            done, word, kind = _unknown(kind), "tis", None
        level, mode = WORDS[word]
        if switch is not None:
            flat[LEVEL] = with_value(switch, level if on else "off")
            done.append(Change(ENABLE, switch, (LEVEL,), f"{LEVEL} says it"))
        cell = kind or (switch if on else None)
        if cell is not None:
            flat[MODE] = with_value(cell, mode)
        if kind is not None:
            done.append(Change(TYPE, kind, (LEVEL, MODE), f"{word} is level {level} with mode {mode}"))
        return done

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Write the switch, and the type of level and mode; another statistic than the ratio is lost."""
        level, mode = flat.pop(LEVEL, None), flat.pop(MODE, None)
        done = []
        if level is not None:
            flat[ENABLE] = with_value(level, level.value != "off")
            done.append(Change(LEVEL, level, (ENABLE,), f"called {ENABLE} there"))
        cell = mode or level
        if cell is not None and level is not None and level.value != "off":
            words = (level.value, "mask" if mode is None else mode.value)
            kind = next((old for old, new in WORDS.items() if new == words), "tis")
            flat[TYPE] = with_value(cell, kind)
            done.append(Change(MODE if mode is not None else LEVEL, cell, (TYPE,), f"called {kind} there"))
        elif mode is not None:
            done.append(Change(MODE, mode, (), "nothing is corrected"))
        return done


@record
class Icepop:
    """A switch for weights that are 0 out of their band became a type of correction."""

    old: str = "use_icepop"
    new: str = "vllm_is_correction_type"

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the switch where it is there."""
        return frozenset({self.old}.intersection(keys))

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Write the type that the switch chooses."""
        cell = flat.pop(self.old, None)
        if cell is None:
            return []
        word = cell.value if isinstance(cell.value, Expr) else "icepop" if cell.value else "tis"
        flat[self.new] = with_value(cell, word)
        return [Change(self.old, cell, (self.new,), f"{self.new}={word} says it")]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Write the switch; there was no correction by sequences."""
        cell = flat.pop(self.new, None)
        if cell is None:
            return []
        flat[self.old] = with_value(cell, cell.value if isinstance(cell.value, Expr) else cell.value == "icepop")
        lost = cell.value == "seq-mask-tis"
        return [Change(self.new, cell, (self.old,), f"called {self.old} there", lost)]


@record
class OneBound(KeepsNames):
    """A weight had one bound, from above, and has two since; the lower one is 0 for what it was (openrlhf/models/loss.py)."""

    key: str = "vllm_is_truncated_threshold"

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Put 0 in front of the one number."""
        cell = flat.get(self.key)
        if cell is None or isinstance(cell.value, list):
            return []
        flat[self.key] = with_value(cell, [0.0, cell.value])
        return [Change(self.key, flat[self.key], (self.key,), "a lower bound stands in front of it")]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Keep the upper bound alone."""
        cell = flat.get(self.key)
        if cell is None or not isinstance(cell.value, list) or not cell.value:
            return []
        if len(cell.value) != 2 or cell.value[0] not in (0, 0.0):
            return [Change(self.key, flat.pop(self.key), (), "the weight has one bound, from above, there", True)]
        flat[self.key] = with_value(cell, cell.value[-1])
        return [Change(self.key, flat[self.key], (self.key,), "the weight has one bound, from above, there")]


@record
class Lengths:
    """The longest prompt and answer became the longest of both together, and the longest answer.

    The engine had room for max_len where it was given; what was trained on ended after both lengths
    (openrlhf/trainer/ppo_utils/experience_maker.py: truncate_length).
    """

    prompt: str = "prompt_max_len"
    answer: str = "generate_max_len"
    whole: str = "max_len"
    tokens: str = "max_new_tokens"
    usual: int = 1024

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the two older flags."""
        return frozenset({self.prompt, self.answer}.intersection(keys))

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Add both lengths; one that is not written has its default."""
        prompt, answer, whole = (flat.pop(key, None) for key in (self.prompt, self.answer, self.whole))
        cell = prompt or answer or whole
        if cell is None:
            return []
        first, longest = (self.usual if part is None else part.value for part in (prompt, answer))
        if not isinstance(first, int | Expr) or not isinstance(longest, int | Expr):
            named = ((self.prompt, prompt), (self.answer, answer), (self.whole, whole))
            return [Change(key, part, (), "it is no number of tokens", True) for key, part in named if part]
        flat[self.whole], flat[self.tokens] = (
            with_value(cell, arith("+", first, longest)),
            with_value(answer or cell, longest),
        )
        done = (
            [Change(self.prompt, prompt, (self.whole,), f"with the longest answer it is {self.whole}")]
            if prompt
            else []
        )
        done += [Change(self.answer, answer, (self.tokens,), f"renamed {self.tokens}")] if answer else []
        if whole is None:
            return done
        if whole.value == flat[self.whole].value:
            return [*done, Change(self.whole, whole, (self.whole,), "it is the longest prompt and answer together")]
        room = "the engine had room for so many tokens; now it has room for the longest prompt and answer together"
        return [*done, Change(self.whole, whole, (), room, True)]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Take the answer off the whole; an answer without a limit of its own takes half."""
        whole, tokens = flat.pop(self.whole, None), flat.pop(self.tokens, None)
        done = []
        if tokens is not None:
            flat[self.answer] = tokens
            done.append(Change(self.tokens, tokens, (self.answer,), f"called {self.answer} there"))
        if whole is not None and tokens is not None and isinstance(whole.value, int) and isinstance(tokens.value, int):
            flat[self.prompt] = with_value(whole, arith("-", whole.value, tokens.value))
            done.append(
                Change(self.whole, whole, (self.prompt,), f"what {self.tokens} leaves is called {self.prompt} there")
            )
        elif whole is not None:
            why = f"a prompt and an answer have limits of their own there: {self.usual} tokens unless written"
            done.append(Change(self.whole, whole, (), why, True))
        return done


@record
class Precision:
    """A switch for bfloat16 became a word; without the switch weights kept the type that the model's files say.

    openrlhf/models/actor.py up to 0.9.1: torch_dtype=torch.bfloat16 if bf16 else "auto".
    """

    old: str = "bf16"
    new: str = "param_dtype"
    files: str = "auto"

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the switch where it is there."""
        return frozenset({self.old}.intersection(keys))

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Write the word; there is none for the type of the model's files any more."""
        cell = flat.pop(self.old, None)
        if cell is None:
            return []
        on = cell.value is not False
        flat[self.new] = with_value(cell, "bf16" if on else self.files)
        why = "weights kept the type that the model's files say; newer releases train in bf16 or fp16 alone"
        return [Change(self.old, cell, (self.new,), "renamed param_dtype" if on else why, not on)]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Write the switch for bfloat16; there was no half precision beside it."""
        cell = flat.pop(self.new, None)
        if cell is None:
            return []
        flat[self.old] = with_value(cell, cell.value == "bf16")
        lost = cell.value not in ("bf16", self.files)
        return [Change(self.new, cell, (self.old,), "bf16 is a switch there", lost)]
