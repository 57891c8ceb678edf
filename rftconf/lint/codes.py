"""Each diagnostic's code has a title, a reason and advice. Strings only, so `explain` starts at once.

Codes are never used again for something else. A test holds that every code in the sources is here.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class About:
    """One code. `example` is text that leads to it, or shows the way out."""

    title: str
    why: str
    advice: str = ""
    example: str = ""


CODES: dict[str, About] = {
    "KEY000": About(
        "no key of the file belongs to a framework that is known",
        "The framework is guessed from the keys and from the program that a script starts; neither told anything.",
        "Name it with --from, or check that this is the right file.",
    ),
    "KEY001": About(
        "a key that no release of the framework has",
        "Trinity-RFT refuses unknown keys. Hydra refuses them too, unless they are added with +; a misspelt key with + "
        "is accepted and then has no effect at all.",
        "Correct the key. The nearest known one is named where there is one.",
        "data.train_bach_size=128    # did you mean data.train_batch_size?",
    ),
    "KEY002": About(
        "a key of another framework",
        "The key exists, but in another framework; it may have been copied from that one's config.",
        "Use the name given. rftconf convert translates whole files.",
        "buffer.batch_size=128    # that is Trinity-RFT's name; veRL calls it data.train_batch_size",
    ),
    "KEY003": About(
        "a key of another release, or of the other trainer",
        "Keys come, move and go between releases. The message names the release that has the key "
        "and, where it is known, "
        "what became of it.",
        "Use the new name, or name the release with --from-release if the file is meant for that one.",
    ),
    "KEY004": About(
        "a value of another type than the key takes",
        "Trinity-RFT's loader refuses such a value. veRL's loader does not look at types, so the "
        "run fails later or does "
        "something else than meant. PyYAML reads 1e-6 as text and 010 as 8; OmegaConf does not.",
        "Give a value of the type that is named.",
    ),
    "KEY005": About(
        "a key that the release accepts and ignores",
        "Old names often stay in a config's schema after the code that read them has gone. The run "
        "starts, and the value "
        "has no effect. The message names what does the work now.",
        "Move the value to the key that is read today.",
    ),
    "KEY006": About(
        "Hydra's + where it must not stand, or missing where it must",
        "key=value changes a key that the config has; +key=value adds one that it lacks; each "
        "refuses the other's case. "
        "++key=value does either.",
        "Write the key as the message shows.",
        "+trainer.nnodes=1    # trainer.nnodes is there already: write it without the +",
    ),
    "KEY007": About(
        "a value that an older release took and this one refuses",
        "The choices of a key changed between releases.",
        "Choose one of the values the release knows, or name the release the file is for with --from-release.",
    ),
    "KEY008": About(
        "a key that the framework sets itself",
        "The loader overwrites the value, or refuses it.",
        "Leave the key out.",
    ),
    "KEY009": About(
        "an added key (+key) that nobody reads and that is nearly the name of one that is read",
        "With +, Hydra accepts any name, so a misspelling goes unnoticed.",
        "Correct the key, and leave out the + if it exists.",
    ),
    "KEY010": About(
        "a program whose config has no catalogue",
        "Catalogues exist for the RL trainers. SFT, generation and evaluation programs read configs of their own.",
    ),
    "VER001": About(
        "which framework and release a file was taken for",
        "No release was named, so it was guessed from the keys; the reasons are given. Where several releases fit, the "
        "newest is assumed.",
        "Name the release with --from-release.",
    ),
    "SYN101": About(
        "a quote, ${, $( or backtick that is opened and never closed",
        "The rest of the script would be taken for text, so nothing after it can be trusted.",
        "Close it. The place is where it was opened.",
    ),
    "SYN102": About(
        "the shell's grammar is broken here",
        "bash would stop with a syntax error; what follows on the line is not read.",
        "Run bash -n on the script, which parses it without running it.",
    ),
    "SYN103": About("a here-document without the line that ends it", "bash reads up to the end of the file and warns."),
    "SYN110": About(
        "a comment line inside a continued command",
        "A backslash joins the next line to the command, and a comment there ends it. Every override after the comment "
        "is not part of the launch: bash tries to run it as a command of its own.",
        "Delete the comment, or put the overrides into an array, where comments are allowed.",
        "ARGS=(\n  data.train_batch_size=256  # prompts per step\n  trainer.nnodes=1\n)\n"
        'python3 -m verl.trainer.main_ppo "${ARGS[@]}" "$@"',
    ),
    "SYN111": About(
        "a backslash followed by blanks",
        "The backslash quotes the blank instead of continuing the line, so the command ends there.",
        "Delete the blanks at the end of the line.",
    ),
    "SYN112": About(
        "Windows line ends",
        "bash keeps the carriage returns, and they become part of the values.",
        "Save the file with Unix line ends (dos2unix).",
    ),
    "SYN113": About("NUL bytes in a script", "bash drops them, and so does rftconf."),
    "SYN120": About(
        "a sourced file that is not given",
        "What it sets is not known, so values that depend on it stay open.",
        "Give the file with --source FILE, or single values with --set NAME=VALUE.",
    ),
    "SYN121": About("a text for a shell that is not known", "What eval, bash -c or ssh would do with it is not known."),
    "SYN130": About(
        "a condition that the script alone does not decide",
        "Both arms are read, and what they set differently stays open.",
        "Bind what the condition asks for with --set NAME=VALUE or --args.",
    ),
    "SYN131": About(
        "a loop that the script alone does not bound", "How often it runs is not known, so what it assigns stays open."
    ),
    "SYN140": About(
        "a command substitution",
        "Nothing in a script is ever run, so what $(...) would print is not known and stays as it is written.",
        "Bind the variable that takes the result with --set NAME=VALUE.",
    ),
    "SYN150": About("arithmetic that bash would reject", "The script would stop or go on with an empty value there."),
    "SYN152": About(
        "a parameter in a here-document that bash cannot expand",
        "Where the word behind << is not quoted, bash expands the text; it knows no name with a dot, such as OmegaConf's "
        "${actor.model}. The command fails and the file stays empty.",
        "Quote the word (<<'EOF'), or write \\$ for the $.",
    ),
    "SYN153": About(
        "a parameter that bash cannot expand",
        "bash knows no name with a dot, such as OmegaConf's ${actor.model}. It says `bad substitution` and does not run the command.",
        "Put the word in single quotes, so that OmegaConf gets it as it is, or give the shell's variable a name without a dot.",
    ),
    "SYN151": About(
        "the script ends here unless something is given",
        'A check such as `[ -z "$NAME" ] && exit 1`, ${NAME:?} or a count of the arguments ends the script before it starts '
        "anything. What stands behind it is read all the same, and what it asks for stays open.",
        "Give it with --set NAME=VALUE, or the script's arguments with --args.",
    ),
    "SYN160": About(
        "a --set or --env that had no effect",
        "The script never reads a variable of that name.",
        "Check the name. --set wins over the first value that the script assigns to it, not over one made from the name itself.",
    ),
    "SYN161": About(
        "a placeholder in angle brackets",
        "bash takes < and > for redirections, so the script does not start before the value is filled in. It is read as the value "
        "that somebody has to give.",
        "Write the value in its place, or give it with --set.",
    ),
    "SYN198": About(
        "part of the script is left out",
        "One command asks for more steps, characters or nesting than the reader follows; what it sets stays open, and the "
        "rest of the script is read.",
    ),
    "SYN199": About(
        "a script larger or deeper than the reader follows", "There is a limit, so that no input takes for ever."
    ),
    "SYN201": About("the YAML is broken here", "No loader can read the file.", "The message says what was expected."),
    "SYN202": About("more than one YAML document", "Only the first one, up to the line ---, is read."),
    "SYN203": About("a file whose top is no mapping", "A config is a mapping of keys to values."),
    "SYN205": About("a merge key << of something else", "It takes a mapping, or a list of mappings."),
    "SYN206": About("a value that is not what its form or tag says", "Loaders refuse it.", "Put it in quotes."),
    "SYN207": About("a key that is a list or a mapping", "Keys are single values."),
    "SYN208": About(
        "a tag that asks the reader to build something",
        "Tags such as !!python/object make a loader run code. rftconf never does.",
        "Write plain data instead.",
    ),
    "SYN209": About(
        "a key that stands twice in one mapping", "OmegaConf refuses the file; PyYAML takes the later one."
    ),
    "SYN210": About(
        "YAML nested or aliased beyond what is followed", "There is a limit, so that no input takes for ever."
    ),
    "SYN301": About(
        "an override that is given twice",
        "Hydra takes the later one in silence, and the earlier one is easily changed in vain.",
        "Delete the earlier one.",
    ),
    "SYN302": About(
        "a value that Hydra's grammar does not allow",
        "Hydra reads values by a grammar of its own, after bash has taken its quotes away.",
        "Put the value into quotes that reach Hydra.",
        "key='\"a, b\"'    # bash takes the outer quotes, Hydra the inner ones",
    ),
    "SYN303": About(
        "a sweep: several values for one key",
        "key=1,2,3 asks Hydra for several runs, and a plan is one run.",
        "Choose one value, or write a list: key=[1,2,3].",
    ),
    "SYN304": About("an argument that is no override", "Hydra takes key=value, +key=value, ++key=value and ~key."),
    "SYN305": About(
        "an override that depends on something unknown",
        "Whether, or under which key, it is given cannot be told from the file.",
        "Bind what it reads with --set NAME=VALUE.",
    ),
    "SYN306": About("an override of Hydra's own settings", "It configures Hydra, not the run, and is left out."),
    "SYN307": About("--multirun", "It starts several runs, and a plan is one run.", "Leave it out."),
    "SYN308": About("an option that Hydra does not have", "The command would stop there.", "Write key=value."),
    "SYN401": About("interpolations that lead in a circle", "A value would be computed from itself."),
    "SYN402": About("an interpolation of a key that is not there", "${a.b} names a key that the config lacks."),
    "SYN403": About("an interpolation that OmegaConf cannot parse", "The text after ${ breaks OmegaConf's grammar."),
    "SYN404": About(
        "a resolver that is not OmegaConf's own",
        "Programs can register resolvers of their own; what they compute is not known without running them.",
        "Write the value itself.",
    ),
    "SYN405": About("an interpolation of a key that must still be given", "The key it names is ??? here."),
    "SYN406": About("an interpolation that is too long", "There is a limit, so that no input takes for ever."),
    "SYN701": About(
        "a plan file that cannot be read",
        "It is neither JSON nor YAML, or holds what JSON has no word for: a tag, a key that is no text, a key twice, a number "
        "beyond all bounds.",
        "rftconf plan FILE --json writes a plan.",
    ),
    "SYN702": About(
        "a field or a value that a plan does not have",
        "A plan file is held against the plan's schema: each field has a type, and a value that is not known is an object "
        "with its formula.",
        "rftconf schema plan prints every field; docs/plan.md says what each means.",
    ),
    "SYN501": About("a byte order mark", "It is set aside; some loaders stumble over it."),
    "SYN502": About("no config in the file", "It is empty, or only comments.", "Check that this is the right file."),
    "SYN503": About("Weights & Biases' own record", "The entry describes the recording, not the run, and is left out."),
    "SYN504": About(
        "Hydra's own part of a primary config",
        "hydra configures Hydra, and defaults, which names other configs, must lead to an end.",
        "Give the composed config, such as a run's .hydra/config.yaml.",
    ),
    "SYN505": About(
        "no launch in the script",
        "No command that is read starts a framework that is known. The message names the line at which the reading went no "
        "further: another script that is not given, a text or a variable that is not known, an exit.",
        "Give what that line needs (--source FILE, --set NAME=VALUE, --args), or name the script that holds the launch.",
    ),
    "SYN506": About("several launches in one script", "Only one is read.", "Choose with --launch N."),
    "SYN801": About(
        "a Python launcher whose grammar is broken",
        "The file names TRL's classes and is no Python 3: Python itself would stop here. Launchers of Python 2 are not read.",
        "Correct the line that is named.",
        "print 'training'    # Python 2",
    ),
    "SYN802": About(
        "a Python launcher larger or deeper than is followed",
        "A launcher is followed without being run, within bounds of size, nesting and steps. No launcher that people write "
        "comes near them.",
        "Give the values of the run as a YAML for trl grpo --config.",
    ),
    "SYN803": About(
        "a part of a Python launcher that is not followed",
        "The value comes out of code that only a run decides: another module, a file, a condition, a loop. It stays open, and "
        "nothing is guessed.",
        "Give the value with --set KEY=VALUE.",
        "GRPOConfig(learning_rate=load_settings().lr)",
    ),
    "SYN804": About(
        "a DeepSpeed config that says otherwise than the arguments",
        "transformers compares the DeepSpeed config with its own arguments before it starts, and stops where a value is neither "
        "auto nor the argument's (integrations/deepspeed.py: trainer_config_process).",
        'Write "auto" in the DeepSpeed config.',
        '"gradient_accumulation_steps": 8    // and gradient_accumulation_steps=4 in the arguments',
    ),
    "SYN601": About(
        "a comment that ignores nothing",
        "# rftconf: ignore[CODE] silences findings on its line, or on the statement below it. This one names something "
        "that is not found there, so it would hide a finding that comes later.",
        "Delete it, or the code that is not found.",
        "data.val_batch_size: 8  # rftconf: ignore[BAT014] our fork reads it",
    ),
    "SYN507": About("a config file that the command also reads", "It is not given.", "Give it with --base FILE."),
    "SYN508": About(
        "a config that the script writes, whose keys depend on something unknown",
        "A here-document holds the config, and a variable that nothing gives stands where a key or a whole line is.",
        "Give the variable with --set NAME=VALUE.",
    ),
    "SYN509": About(
        "an argument of the script that is not given",
        "Something of the run comes from $1, $2 and so on, which are empty without it, as in bash.",
        'Give the arguments with --args "first second".',
    ),
    "SYN510": About(
        "more values than a config has",
        "The longest published config has some 200 values, and the whole config of a framework printed out 1,500. What has more "
        "than 5,000, or a list of more than 300 mappings, is data, and nothing of it is read.",
        "Give the config without its data.",
    ),
    "SYN511": About(
        "more stages than a run has",
        "A plan has an account of each stage. What has more than 100 is not read.",
        "Split the run.",
    ),
    "SYN520": About(
        "a config that a defaults list names and that is not here",
        "The run starts from it, and the framework ships no file of that name: numbers that are not written in the "
        "config itself are not known, rather than the framework's defaults.",
        "Put the file where the config names it, or give it with --source FILE.",
    ),
    "SYN521": About(
        "a base file that is the framework's own",
        "The config starts from a file that is not beside it, and the framework ships one of that name in this release: "
        "its values count.",
        "Put the file where the config names it, or give another with --source FILE.",
    ),
    "SYN522": About(
        "a TOML file",
        "No framework that rftconf knows reads its config from TOML; prime-rl does, and is not among them.",
        "Name the YAML or the launch script of the run.",
    ),
    "SYN523": About(
        "a config that stands below a section",
        "The file as a whole is no config of a known framework, and one section of it is: that section is read as the "
        "config, its interpolations as seen from inside.",
        "Give the section a file of its own, which the framework can read too.",
    ),
}


def about(code: str) -> About | None:
    """Return a code's meaning: the reader's and the key checks' from CODES, a rule's from its own declaration."""
    if code in CODES:
        return CODES[code]
    from rftconf.lint.registry import rule_of

    rule = rule_of(code)
    if rule is None:
        return None
    from rftconf.lint.examples import example_lines

    where = f" ({', '.join(rule.frameworks)}{f' since {rule.since}' if rule.since else ''})" if rule.frameworks else ""
    example = f"# found\n{example_lines(rule.bad)}\n\n# fine\n{example_lines(rule.good)}"
    more = f"Severity: {rule.severity.value}{where}. Source: {rule.source}. {_FIXES[rule.fixable]}"
    return About(rule.title, rule.why, f"{rule.advice[:1].upper()}{rule.advice[1:]}. {more}", example)


_FIXES = {True: "rftconf check --fix (or --unsafe-fixes) changes it.", False: "There is no automatic fix."}


def every() -> dict[str, str]:
    """All codes and their titles, family by family."""
    from rftconf.lint.registry import FAMILIES, family

    titles: dict[str, str] = {}
    for name in FAMILIES:
        titles |= {code: entry.title for code, entry in CODES.items() if code.startswith(name)}
        titles |= {rule.code: rule.title for rule in family(name)}
    return titles


def page(code: str, width: int = 88) -> str:
    """The page of a code that exists, as text."""
    entry = about(code)
    if entry is None:
        raise KeyError(code)
    parts = [f"{code}: {entry.title}", *(textwrap.fill(text, width) for text in (entry.why, entry.advice) if text)]
    if entry.example:
        parts.append(textwrap.indent(entry.example, "    "))
    return "\n\n".join(parts) + "\n"
