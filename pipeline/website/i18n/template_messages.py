"""The sentences of templates: each piece of text between block elements is a message, so that templates need no marks for it.

In a message `{expression}` stands for what the template prints there and `<1>...</1>` for an element within the sentence.
Texts of attributes that readers meet (labels, hints) are messages too. Sentences inside an expression are marked there:
`gettext("...")`.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from jinja2 import Environment
from jinja2.ext import Extension

_JINJA = r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}"
_FRONT_MATTER = r"\A---\n.*?^---$|\{% block meta %\}.*?\{% endblock %\}"
_TOKEN = re.compile(rf"({_FRONT_MATTER}|{_JINJA}|<(?:{_JINJA}|[^>])*>)", re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"</?\s*([a-z0-9]+)")
_INLINE = {"a", "abbr", "b", "br", "code", "em", "i", "kbd", "small", "span", "strong", "sub", "sup"}
_UNSEEN = {"script", "style"}
_ATTRIBUTE = re.compile(r'(\s(?:aria-label|placeholder|title|alt|data-label|label)=")([^"{]*(?:\{\{[^"]*?\}\}[^"{]*)*)(?=")')
_LETTERS = re.compile(r"[A-Za-z]{2}|\b[aAI]\b")
_ENTITY = re.compile(r"&#?\w+;")
_HOLE = re.compile(r"</?(\d+)>|\{([^{}]*)\}")
Translate = Callable[[str], str]


class Sentences(Extension):
    """Turns each template into one of the environment's language before it is compiled."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """The template's source with its sentences in the other language."""
        messages = getattr(self.environment, "messages", None)
        return rewrite(source, lambda message: messages.get(message, message)) if messages else source


def rewrite(source: str, translate: Translate) -> str:
    """The template with every sentence replaced by what `translate` gives for it."""
    return "".join(_pieces(source, translate))


def messages_of(source: str) -> list[str]:
    """Every sentence of the template, in order."""
    found: list[str] = []
    rewrite(source, lambda message: found.append(message) or message)  # type: ignore[func-returns-value]
    return found


def marked_in(environment: Environment, source: str, names: dict[str, int]) -> list[str]:
    """The texts that the template hands to these functions or macros, from the argument of this number on, or chooses between."""
    from jinja2 import nodes  # noqa: PLC0415 - only for bringing catalogues up to date

    found = []
    for call in environment.parse(source).find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name in names:
            given = [*call.args[names[call.node.name] :], *(word.value for word in call.kwargs)]
            found += [const.value for one in given for const in _consts(one) if isinstance(const.value, str)]
    return [text for text in found if _LETTERS.search(text)]


def _consts(node: Any) -> list[Any]:
    from jinja2 import nodes  # noqa: PLC0415

    if isinstance(node, nodes.CondExpr):
        return _consts(node.expr1) + (_consts(node.expr2) if node.expr2 else [])
    return [node] if isinstance(node, nodes.Const) else []


def _pieces(source: str, translate: Translate) -> Iterator[str]:
    run: list[str] = []
    unseen = ""
    for token in _TOKEN.split(source):
        tag = _TAG.match(token)
        name = tag[1] if tag else ""
        if unseen:
            unseen = "" if token.startswith(f"</{unseen}") else unseen
            yield token
        elif token.startswith(("{%", "{#", "---\n")) or (tag and name not in _INLINE):
            yield from _sentence(run, translate)
            run = []
            unseen = name if name in _UNSEEN and not token.startswith("</") else ""
            yield _attributes(token, translate)
        else:
            run.append(_attributes(token, translate) if tag else token)
    yield from _sentence(run, translate)


def _sentence(run: list[str], translate: Translate) -> Iterator[str]:
    """The run of text, printed values and inline elements, as one message; what stands around it stays."""
    before, inner, after = _bare([token for token in run if token])
    yield "".join(before)
    parts = _elements(inner)
    if len(parts) > 1 and not _has_words([token for part in parts if len(part) == 1 for token in part]):
        for part in parts:  # elements side by side, such as links of a menu: no sentence joins them
            yield from _sentence(part, translate) if len(part) > 1 else part
    else:
        yield _translated(inner, translate) if _has_words(inner) else "".join(inner)
    yield "".join(after)


def _has_words(run: list[str]) -> bool:
    text = " ".join(token for token in run if not token.startswith(("<", "{{")))
    return bool(_LETTERS.search(_ENTITY.sub("", text)))


def _elements(run: list[str]) -> list[list[str]]:
    """The run parted into elements with all that is in them, and what stands between, token by token."""
    parts: list[list[str]] = []
    depth = 0
    for token in run:
        inside = depth > 0
        if token.startswith("<") and not token.startswith("<br"):
            depth += -1 if token.startswith("</") else 1
        if inside:
            parts[-1].append(token)
        else:
            parts.append([token])
    return parts


def _bare(run: list[str]) -> tuple[list[str], list[str], list[str]]:
    """The run without white space and elements that enclose all of it."""
    before: list[str] = []
    after: list[str] = []
    while run:
        if not run[0].strip() or run[0].startswith("<br") or (_is_open(run[0]) and _depth(run) > 0):
            before.append(run.pop(0))
        elif not run[-1].strip() or run[-1].startswith("<br") or (run[-1].startswith("</") and _depth(run) < 0):
            after.insert(0, run.pop())
        elif _encloses(run):
            before.append(run.pop(0))
            after.insert(0, run.pop())
        else:
            break
    return before, run, after


def _is_open(token: str) -> bool:
    return token.startswith("<") and not token.startswith(("</", "<br"))


def _depth(run: list[str]) -> int:
    """How many elements are left open at the end of the run; below zero, how many end that began before it."""
    return sum(_is_open(token) - token.startswith("</") for token in run)


def _encloses(run: list[str]) -> bool:
    if not run[0].startswith("<") or not run[-1].startswith("</"):
        return False
    depth = 0
    for place, token in enumerate(run):
        if token.startswith("<") and not token.startswith("<br"):
            depth += -1 if token.startswith("</") else 1
        if depth == 0:
            return place == len(run) - 1
    return False


def _translated(run: list[str], translate: Translate) -> str:
    """The sentence in the other language; a line break in it is a space of the message."""
    holes: dict[str, str] = {}
    text = "".join(_hole(token, holes) for token in run)
    message = " ".join(text.split())
    translation = translate(message)
    if translation == message:
        return "".join(run)
    lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return lead + _HOLE.sub(lambda hole: holes.get(hole[0], hole[0]), translation) + trail


def _hole(token: str, holes: dict[str, str]) -> str:
    """What stands for the token in the message; `holes` remembers what it stands for."""
    if token.startswith("{{"):
        hole = f"{{{' '.join(token[2:-2].split())}}}"
    elif token.startswith("</"):
        hole = f"</{holes['open'].split()[-1]}>"
        holes["open"] = " ".join(holes["open"].split()[:-1])
    elif token.startswith("<"):
        count = sum(name.startswith("<") and not name.startswith("</") for name in holes) + 1
        hole = f"<{count}>"
        if not token.startswith("<br"):
            holes["open"] = f"{holes.get('open', '')} {count}".strip()
    else:
        return token
    holes[hole] = token
    return hole


def _attributes(tag: str, translate: Translate) -> str:
    def one(found: re.Match[str]) -> str:
        text = found[2]
        if not _LETTERS.search(re.sub(r"\{\{.*?\}\}", "", text)):
            return found[0]
        return found[1] + _translated(re.split(r"(\{\{.*?\}\})", text), translate)

    return _ATTRIBUTE.sub(one, tag)
