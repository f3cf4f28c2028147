"""Messages of templates: each text between block elements, and texts of attributes that readers see, such as labels and hints.

In a message, `{expression}` is a printed value and `<1>...</1>` an inline element. Messages inside expressions are marked there
with `gettext("...")`.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from jinja2 import Environment, nodes
from jinja2.ext import Extension

_JINJA = r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}"
_FRONT_MATTER = r"\A---\n.*?^---$|\{% block meta %\}.*?\{% endblock %\}"
_TOKEN = re.compile(rf"({_FRONT_MATTER}|{_JINJA}|<(?:{_JINJA}|[^>])*>)", re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"</?\s*([a-z0-9]+)")
_INLINE = {"a", "abbr", "b", "br", "code", "em", "i", "kbd", "small", "span", "strong", "sub", "sup"}
_SKIPPED = {"script", "style"}
_ATTRIBUTE = re.compile(r'(\s(?:aria-label|placeholder|title|alt|data-label|label)=")([^"{]*(?:\{\{[^"]*?\}\}[^"{]*)*)(?=")')
_LETTERS = re.compile(r"[A-Za-z]{2}|\b[aAI]\b")
_ENTITY = re.compile(r"&#?\w+;")
_PLACEHOLDER = re.compile(r"</?(\d+)>|\{([^{}]*)\}")
Translate = Callable[[str], str]


class TranslateTemplates(Extension):
    """Translates each template into the language of the environment before Jinja2 compiles it."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Return the translated source of the template."""
        messages = getattr(self.environment, "messages", None)
        return rewrite(source, lambda message: messages.get(message, message)) if messages else source


def rewrite(source: str, translate: Translate) -> str:
    """Replace every message of the template by its translation."""
    return "".join(_translate_tokens(source, translate))


def messages_of(source: str) -> list[str]:
    """Every message of the template, in order."""
    messages: list[str] = []
    rewrite(source, lambda message: messages.append(message) or message)  # type: ignore[func-returns-value]
    return messages


def find_arguments(environment: Environment, source: str, names: dict[str, int]) -> list[str]:
    """Messages in calls of these functions or macros, from the argument with the given number on."""
    texts: list[str] = []
    for call in environment.parse(source).find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name in names:
            arguments = [*call.args[names[call.node.name] :], *(keyword.value for keyword in call.kwargs)]
            texts += [const.value for one in arguments for const in _constants(one) if isinstance(const.value, str)]
    return [text for text in texts if _LETTERS.search(text)]


def _constants(node: Any) -> list[Any]:
    """The constant, those between which a condition chooses, or the values of a dictionary."""
    if isinstance(node, nodes.CondExpr):
        return _constants(node.expr1) + (_constants(node.expr2) if node.expr2 else [])
    if isinstance(node, nodes.Dict):
        return [pair.value for pair in node.items if isinstance(pair.value, nodes.Const)]
    return [node] if isinstance(node, nodes.Const) else []


def _translate_tokens(source: str, translate: Translate) -> Iterator[str]:
    run: list[str] = []
    skipped = ""
    for token in _TOKEN.split(source):
        tag = _TAG.match(token)
        name = tag[1] if tag else ""
        if skipped:
            skipped = "" if token.startswith(f"</{skipped}") else skipped
            yield token
        elif token.startswith(("{%", "{#", "---\n")) or (tag and name not in _INLINE):
            yield from _translate_run(run, translate)
            run = []
            skipped = name if name in _SKIPPED and not token.startswith("</") else ""
            yield _translate_attributes(token, translate)
        else:
            run.append(_translate_attributes(token, translate) if tag else token)
    yield from _translate_run(run, translate)


def _translate_run(run: list[str], translate: Translate) -> Iterator[str]:
    """Translate a run of text, printed values and inline elements as one message, without what encloses it."""
    before, inner, after = _strip_enclosing([token for token in run if token])
    yield "".join(before)
    parts = _elements(inner)
    if len(parts) > 1 and not _has_words([token for part in parts if len(part) == 1 for token in part]):
        for part in parts:  # adjacent elements, such as links of a menu, are separate messages
            yield from _translate_run(part, translate) if len(part) > 1 else part
    else:
        yield _translate_message(inner, translate) if _has_words(inner) else "".join(inner)
    yield "".join(after)


def _has_words(run: list[str]) -> bool:
    text = " ".join(token for token in run if not token.startswith(("<", "{{")))
    return bool(_LETTERS.search(_ENTITY.sub("", text)))


def _elements(run: list[str]) -> list[list[str]]:
    """Split the run into elements with their content, and single tokens between them."""
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


def _strip_enclosing(run: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Split the run into what precedes, the message, and what follows: white space and enclosing elements."""
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
    """Number of elements that the run leaves open; negative if it closes elements opened before it."""
    return sum(_is_open(token) - token.startswith("</") for token in run)


def _encloses(run: list[str]) -> bool:
    """Report whether the run is one element with its content."""
    return _is_open(run[0]) and run[-1].startswith("</") and len(_elements(run)) == 1


def _translate_message(run: list[str], translate: Translate) -> str:
    """Translate one message. A line break in the source is a space in the message."""
    tokens: dict[str, str] = {}
    text = "".join(_placeholder(token, tokens) for token in run)
    message = " ".join(text.split())
    translation = translate(message)
    if translation == message:
        return "".join(run)
    lead, trail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return lead + _PLACEHOLDER.sub(lambda match: tokens.get(match[0], match[0]), translation) + trail


def _placeholder(token: str, tokens: dict[str, str]) -> str:
    """The token's placeholder in the message. Adds the pair to `tokens`."""
    if token.startswith("{{"):
        placeholder = f"{{{' '.join(token[2:-2].split())}}}"
    elif token.startswith("</"):
        placeholder = f"</{tokens['open'].split()[-1]}>"
        tokens["open"] = " ".join(tokens["open"].split()[:-1])
    elif token.startswith("<"):
        count = sum(name.startswith("<") and not name.startswith("</") for name in tokens) + 1
        placeholder = f"<{count}>"
        if not token.startswith("<br"):
            tokens["open"] = f"{tokens.get('open', '')} {count}".strip()
    else:
        return token
    tokens[placeholder] = token
    return placeholder


def _translate_attributes(tag: str, translate: Translate) -> str:
    def translate_one(match: re.Match[str]) -> str:
        text = match[2]
        if not _LETTERS.search(re.sub(r"\{\{.*?\}\}", "", text)):
            return match[0]
        return match[1] + _translate_message(re.split(r"(\{\{.*?\}\})", text), translate)

    return _ATTRIBUTE.sub(translate_one, tag)
