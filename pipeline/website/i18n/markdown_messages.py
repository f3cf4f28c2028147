"""Messages of hand-written Markdown pages: titles, paragraphs, list items, headings and table rows."""

import re
from collections.abc import Callable, Iterator

_HEADER = re.compile(r"(title|description): (.*)")
_STARTS = re.compile(r"\s*$|#|\s*[-*] |\s*\d+\. |\||```|: ")
_MARK = re.compile(r"\s*(?:#+ |[-*] |\d+\. |: )|\s*")
Translate = Callable[[str], str]


def rewrite(text: str, translate: Translate) -> str:
    """Replace every message of the page by its translation. Untranslated ones keep their line breaks."""
    _, header, body = text.split("---\n", 2) if text.startswith("---\n") else ("", "", text)
    lines = [_translate_header(line, translate) for line in header.splitlines()]
    front = "\n".join(["---", *lines, "---", ""]) if header else ""
    return front + "\n".join(_translate_block(block, translate) for block in _blocks(body)) + "\n"


def messages_of(text: str) -> list[str]:
    """Every message of the page, in order."""
    messages: list[str] = []
    rewrite(text, lambda message: messages.append(message) or message)  # type: ignore[func-returns-value]
    return messages


def _translate_header(line: str, translate: Translate) -> str:
    match = _HEADER.fullmatch(line)
    return f"{match[1]}: {translate(match[2])}" if match else line


def _blocks(body: str) -> Iterator[list[str]]:
    """The lines of each paragraph, item, heading, row or fenced block."""
    block: list[str] = []
    fenced = False
    for line in body.splitlines():
        fence = line.lstrip().startswith("```")
        if block and not (fenced or (_STARTS.match(line) is None and block[-1].strip() and not block[0].startswith("#"))):
            yield block
            block = []
        block.append(line)
        fenced = fenced != fence
    if block:
        yield block


def _translate_block(block: list[str], translate: Translate) -> str:
    mark = _MARK.match(block[0])[0]  # type: ignore[index]  # the pattern matches the empty string too
    text = " ".join(" ".join(block)[len(mark) :].split())
    if not re.search("[A-Za-z]{2}", text) or block[0].lstrip().startswith("```"):
        return "\n".join(block)
    translation = translate(text)
    return "\n".join(block) if translation == text else mark + translation
