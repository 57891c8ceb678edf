"""`~` at the start of a word or of an assigned value: the home directory."""

from __future__ import annotations

from rftconf.text.shell.parse.nodes import CommandPart, Lit, Param, Part


def tilde(first: Lit) -> list[Part]:
    """`~` and `~/x` as `$HOME` and the rest; `~user` stays for the shell."""
    name, slash, _rest = first.text.partition("/")
    end = first.start + len(name)
    if len(name) > 1:
        # `~key.of.hydra` names no user; only what looks like a home directory is left to the shell.
        named = slash or name in ("~root", "~+", "~-")
        return [CommandPart(first.start, first.end, True)] if named else [first]
    home: list[Part] = [Param("HOME", first.start, end, True)]
    return [*home, Lit(first.text[len(name) :], end, first.end)] if slash else home


def tildes(parts: list[Part]) -> list[Part]:
    """`~` at the start of an assigned value, and after each `:`."""
    done: list[Part] = []
    for n, part in enumerate(parts):
        if not isinstance(part, Lit) or part.quoted or "~" not in part.text:
            done.append(part)
            continue
        offset = part.start
        for k, segment in enumerate(part.text.split(":")):
            if k:
                done.append(Lit(":", offset, offset + 1))
                offset += 1
            piece = Lit(segment, offset, offset + len(segment))
            done.extend(tilde(piece) if segment[:1] == "~" and (k or n == 0) else [piece])
            offset += len(segment)
    return done
