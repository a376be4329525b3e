"""How the page looks, as numbers: what is too wide, what has no room, which text is hard to read."""

from typing import Any

LEAST_CONTRAST = 4.5
"""Of text and what is behind it, as WCAG 2 asks of level AA; 3 for large text."""

_MEASURE = """(least) => {
  const parse = (color) => {
    const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
    return [r, g, b, a];
  };
  const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3]));
  const behind = (element) => {
    if (element === null) return [255, 255, 255];
    const color = parse(getComputedStyle(element).backgroundColor);
    return color[3] === 1 ? color.slice(0, 3) : over(color, behind(element.parentElement));
  };
  const luminance = (color) => {
    const [r, g, b] = color.map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const pale = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement, text = texts.currentNode.data.trim();
    const passed = "option, template, script, :disabled, svg .inside";  // names in nodes have an outline of their own
    if (!text || element.closest(passed) || !element.checkVisibility()) continue;
    const style = getComputedStyle(element), ground = behind(element), size = parseFloat(style.fontSize);
    const ink = over(parse(element.closest("svg") ? style.fill : style.color), ground);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const found = contrast(ink, ground);
    seen += 1;
    if (found < (large ? 3 : least)) pale.push(`'${text.slice(0, 30)}' ${ink} on ${ground}: ${found.toFixed(2)}`);
  }
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  return { pale, seen, wide };
}"""


def require_readable(page: Any) -> None:
    """Nothing is wider than the window, and all text stands out."""
    found = page.evaluate(_MEASURE, LEAST_CONTRAST)
    assert found["wide"] <= 0, f"the page is {found['wide']} pixels wider than the window"
    assert found["seen"] > 20
    assert not found["pale"], "\n".join(found["pale"])


def require_room(page: Any, *panes: str, width: int, height: int) -> None:
    """Each of the panes can be seen, and is at least so large."""
    for pane in panes:
        boxes = [one.bounding_box() for one in page.locator(pane).all() if one.is_visible()]
        assert boxes, f"{pane} is not to be seen"
        for box in boxes:
            assert box["width"] >= width, f"{pane} is {box['width']} pixels wide"
            assert box["height"] >= height, f"{pane} is {box['height']} pixels high"
