"""What every page must hold, asked of the page as the browser made it: names, contrast, and the keyboard's way."""

from __future__ import annotations

from typing import Any

NAMELESS = """() => {
  const found = [];
  for (const node of document.querySelectorAll('button, input, select, textarea, summary, a[href], [role=textbox], [role=img]')) {
    if (!node.checkVisibility() || node.closest('[aria-hidden=true]')) continue;
    const said = [node.getAttribute('aria-label'), node.labels?.[0]?.textContent, node.textContent, node.title, node.querySelector?.('img')?.alt];
    if (!said.some((one) => one && one.trim())) found.push(node.outerHTML.slice(0, 160));
  }
  return found;
}"""
"""Controls that a screen reader has no name for."""

FAINT = r"""() => {
  const parse = (text) => {
    const parts = text.match(/[\d.]+(?:e-?\d+)?/g)?.map(Number) ?? [0, 0, 0, 0];
    const scale = text.startsWith('color(') ? 255 : 1;
    return [parts[0] * scale, parts[1] * scale, parts[2] * scale, parts[3] ?? 1];
  };
  const over = (top, below) => top.slice(0, 3).map((one, at) => one * top[3] + below[at] * (1 - top[3]));
  const behind = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) layers.unshift(parse(getComputedStyle(at).backgroundColor));
    return layers.reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((one) => (one / 255 <= 0.03928 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.checkVisibility()) continue;
    if (node.closest(':disabled, noscript, script, #said, .skip, svg, .notes')) continue;
    const style = getComputedStyle(node);
    if (style.visibility === 'hidden' || style.color === 'rgba(0, 0, 0, 0)') continue;
    let strength = 1;
    for (let at = node; at; at = at.parentElement) strength *= Number(getComputedStyle(at).opacity);
    if (!strength) continue;
    const below = behind(node);
    const colour = parse(style.color);
    const shown = over([...colour.slice(0, 3), colour[3] * strength], below);
    const [one, other] = [light(shown), light(below)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) found.set(`${node.tagName}.${node.className}`, `${ratio.toFixed(2)} ${walker.currentNode.textContent.trim().slice(0, 40)}`);
  }
  return [...found].map(([where, what]) => `${where}: ${what}`);
}"""
"""Texts below a contrast of 4.5 to what is behind them."""

FOCUSED = """() => {
  const node = document.activeElement;
  if (!node || node === document.body) return null;
  const rings = (one) => {
    const style = one ? getComputedStyle(one) : null;
    return style && ((style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none');
  };
  const seen = [node, node.nextElementSibling, node.parentElement, node.closest('.editor')].some(rings);
  window.walked ??= new Set();
  const again = window.walked.has(node);
  window.walked.add(node);
  return { seen, again, what: node.outerHTML.slice(0, 160) };
}"""
"""Where the keyboard is, and whether that is seen."""

UNREACHED = """() => {
  const found = [];
  for (const node of document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')) {
    if (!node.checkVisibility() || node.disabled || node.tabIndex < 0 || node.closest('[aria-hidden=true]')) continue;
    if (window.walked.has(node)) continue;
    const group = node.type === 'radio' ? document.querySelectorAll(`input[name="${node.name}"]`) : [];
    if ([...group].some((one) => window.walked.has(one))) continue;
    found.push(node.outerHTML.slice(0, 160));
  }
  return found;
}"""
"""Controls that Tab never came to, after it went round."""
MOST_TABS = 400


def walk(page: Any) -> list[str]:
    """Go round the page with Tab; what is reached without being seen, and what is never reached."""
    page.evaluate("window.walked = new Set([document.querySelector('.skip')]); document.querySelector('.skip').focus()")
    unseen = []
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        position = page.evaluate(FOCUSED)
        if position is None or position["again"]:
            break
        if not position["seen"]:
            unseen.append(f"not seen: {position['what']}")
    assert page.evaluate("window.walked.size") > 10, "Tab went nowhere"
    return [*unseen, *(f"not reached: {what}" for what in page.evaluate(UNREACHED))]
