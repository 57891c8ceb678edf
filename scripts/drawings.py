"""The drawings of docs/img/: plain SVG on a panel of their own, so that they read the same on light and dark pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

INK, QUIET, PANEL, EDGE = "#1f2933", "#5f6c7b", "#fbfcfe", "#d5dce6"
BLUE, GREEN, ORANGE, PURPLE = "#2f6fdb", "#23846b", "#c2621b", "#7a4fc0"
FONT = "font-family='system-ui, -apple-system, Segoe UI, Roboto, sans-serif'"


def text(
    x: float, y: float, words: str, *, size: int = 13, fill: str = INK, anchor: str = "start", bold: bool = False
) -> str:
    """A line of words."""
    weight = " font-weight='600'" if bold else ""
    return f"<text x='{x:g}' y='{y:g}' font-size='{size}' fill='{fill}' text-anchor='{anchor}'{weight}>{escape(words)}</text>"


def box(x: float, y: float, width: float, height: float, fill: str, words: str = "", *, size: int = 12) -> str:
    """A filled box with words in its middle."""
    shape = f"<rect x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}' rx='4' fill='{fill}'/>"
    label = text(
        x + width / 2, y + height / 2 + size * 0.36, words, size=size, fill="#ffffff", anchor="middle", bold=True
    )
    return shape + (label if words else "")


def arrow(x1: float, y1: float, x2: float, y2: float, colour: str = QUIET) -> str:
    """A line with a head at its end."""
    return f"<line x1='{x1:g}' y1='{y1:g}' x2='{x2:g}' y2='{y2:g}' stroke='{colour}' stroke-width='1.6' marker-end='url(#head)'/>"


def drawing(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    """A whole file."""
    head = "<marker id='head' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto-start-reverse'>"
    head += f"<path d='M0 0 L8 4 L0 8 z' fill='{QUIET}'/></marker>"
    panel = f"<rect x='0.5' y='0.5' width='{width - 1}' height='{height - 1}' rx='8' fill='{PANEL}' stroke='{EDGE}'/>"
    body = "\n".join(parts)
    size = f"viewBox='0 0 {width} {height}' width='{width}' height='{height}'"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' {size} role='img' {FONT}>\n<title>{escape(title)}</title>\n"
        f"<defs>{head}</defs>\n{panel}\n{body}\n</svg>\n"
    )


def period() -> str:
    """Prompts become sequences, sequences are cut into updates."""
    parts = [text(24, 32, "One rollout period", size=16, bold=True)]
    parts += [
        box(24, 62, 140, 44, BLUE, "512 prompts"),
        text(24, 126, "B, what engines are asked", size=12, fill=QUIET),
    ]
    parts += [arrow(168, 84, 236, 84), text(202, 74, "× 8", anchor="middle", bold=True)]
    parts += [box(240, 62, 456, 44, GREEN, "4,096 sequences")]
    parts += [text(240, 126, "S = B × n, n responses to each prompt", size=12, fill=QUIET)]
    for index in range(4):
        x = 240 + index * 116
        parts += [arrow(x + 54, 134, x + 54, 160), box(x, 164, 108, 44, ORANGE, "1,024")]
        parts += [text(x + 54, 228, f"update {index + 1}", size=12, fill=QUIET, anchor="middle")]
    parts += [
        text(24, 184, "G sequences an update", bold=True),
        text(24, 202, "U = E × S / G = 4 updates", size=12, fill=QUIET),
    ]
    parts += [text(24, 262, "then the engines get the new weights, and the next period begins", size=12, fill=QUIET)]
    return drawing(720, 284, "512 prompts, 8 responses each, are 4096 sequences: 4 updates of 1024", parts)


def counters() -> str:
    """What each framework calls a step of the same run."""
    x, width, parts = 190, 504, [text(24, 32, "Two periods of one run, and who counts what", size=16, bold=True)]
    rows = (
        ("veRL", "trainer.save_freq", ("step 1", "step 2"), BLUE),
        ("ROLL", "save_steps", ("step 0", "step 1"), BLUE),
        ("ChatLearn", "save_episode_interval", ("episode 1", "episode 2"), BLUE),
        ("Trinity-RFT", "trainer.save_interval", tuple(f"{n}" for n in range(1, 9)), PURPLE),
    )
    for index, (name, key, steps, colour) in enumerate(rows):
        top = 60 + index * 52
        parts += [text(24, top + 14, name, bold=True), text(24, top + 31, key, size=11, fill=QUIET)]
        each = width / len(steps)
        parts += [box(x + n * each, top, each - 4, 34, colour, word) for n, word in enumerate(steps)]
    top = 60 + len(rows) * 52
    parts += [text(24, top + 21, "optimizer updates", bold=True)]
    parts += [box(x + n * width / 8, top, width / 8 - 4, 34, ORANGE, f"{n + 1}") for n in range(8)]
    parts += [text(x + width / 2 - 2, top + 60, "▲ weights go to the engines", size=12, fill=QUIET, anchor="middle")]
    return drawing(
        720, top + 80, "Eight updates are two steps of veRL, ROLL and ChatLearn, and eight of Trinity-RFT", parts
    )


def placement() -> str:
    """Engines and trainer in turns on the same GPUs, or at once on their own."""
    parts = [text(24, 32, "Colocated: all 8 GPUs do one thing after the other", size=15, bold=True)]
    phases = (
        *(("rollout", BLUE, 170), ("log-probs", GREEN, 96), ("update", ORANGE, 120), ("sync", PURPLE, 56)),
        *(("rollout", BLUE, 170), ("…", GREEN, 60)),
    )
    parts += list(_lane(24, 48, phases, 40))
    parts += [
        text(24, 108, "the peak is the largest phase; engines give their memory back in between", size=12, fill=QUIET)
    ]
    parts += [text(24, 152, "Disaggregated: 4 GPUs generate, 4 train", size=15, bold=True)]
    engines = (("rollout, period 2", BLUE, 316), ("sync", PURPLE, 56), ("rollout, period 3", BLUE, 300))
    trainer = (
        ("log-probs", GREEN, 154),
        ("update, period 1", ORANGE, 162),
        ("sync", PURPLE, 56),
        ("log-probs", GREEN, 154),
        ("update …", ORANGE, 146),
    )
    parts += list(_lane(24, 168, engines, 40)) + list(_lane(24, 214, trainer, 40))
    parts += [text(24, 276, "each pool has its own peak; running ahead makes them work at once", size=12, fill=QUIET)]
    return drawing(720, 294, "Roles on shared GPUs take turns; on their own GPUs they work at once", parts)


def _lane(x: float, y: float, phases: Sequence[tuple[str, str, float]], height: float) -> Iterator[str]:
    for words, colour, width in phases:
        yield box(x, y, width - 4, height, colour, words)
        x += width


def files() -> dict[str, str]:
    """File name to SVG."""
    return {"img/period.svg": period(), "img/counters.svg": counters(), "img/placement.svg": placement()}
