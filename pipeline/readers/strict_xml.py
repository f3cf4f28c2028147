"""XML without declarations of its own: no entities, no external files, bounded depth."""

from dataclasses import dataclass, field
from xml.parsers import expat

from pipeline.readers import RefusedError

MAX_DEPTH = 32


@dataclass(slots=True)
class Leaves:
    """Texts of a document by their path below the root (`a/b`), and of each closed record by their path below the record.

    Not `whole` where the document breaks off.
    """

    about: dict[str, str] = field(default_factory=dict)
    records: list[dict[str, str]] = field(default_factory=list)
    whole: bool = False


def strict_parser(*, separator: str | None = None) -> expat.XMLParserType:
    """An expat parser that raises RefusedError PARSE for declared entities and elements; `separator` turns on namespaces."""
    parser = expat.ParserCreate(namespace_separator=separator)
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_declarations
    parser.SkippedEntityHandler = _refuse_entity
    return parser


def feed(parser: expat.XMLParserType, text: str, *, first_line: int = 1, is_final: bool = True) -> None:
    """Parse the text with the parser's handlers. Raises RefusedError PARSE with the line, counted from `first_line`."""
    try:
        parser.Parse(text, is_final)
    except expat.ExpatError as error:
        line = first_line + error.lineno - 1
        raise RefusedError("PARSE", f"broken XML ({expat.ErrorString(error.code)}); save the file whole", line) from None


def parse_leaves(text: str, record: str, wanted: set[str], first_line: int = 1) -> Leaves:
    """The `wanted` texts of a document whose root contains elements named `record`; the document may break off.

    Raises RefusedError PARSE for broken XML or declarations, TOO_DEEP, and DUP_KEY for a wanted text that comes twice.
    """
    collector = _Collector(record, wanted)
    parser = strict_parser()
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.text
    feed(parser, text, first_line=first_line, is_final=False)
    return collector.leaves


def _refuse_declarations(_name: str, _system: str | None, _public: str | None, has_internal_subset: bool) -> None:
    if has_internal_subset:
        raise RefusedError("PARSE", "XML whose DOCTYPE declares an entity or element is refused")


def _refuse_entity(name: str, _is_parameter_entity: bool) -> None:
    raise RefusedError("PARSE", f"XML with the unknown entity {name[:40]!r}")


class _Collector:
    """Handlers that collect the wanted texts by their path."""

    def __init__(self, record: str, wanted: set[str]) -> None:
        self.record, self.wanted = record, wanted
        self.leaves = Leaves()
        self.path: list[str] = []
        self.characters: list[str] = []
        self.current: dict[str, str] = {}

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        self.path.append(name)
        self.characters = []
        if len(self.path) > MAX_DEPTH:
            raise RefusedError("TOO_DEEP", f"XML nested deeper than {MAX_DEPTH}, which no tool writes")

    def text(self, data: str) -> None:
        self.characters.append(data)

    def end(self, _name: str) -> None:
        inside = len(self.path) > 2 and self.path[1] == self.record
        place = "/".join(self.path[2 if inside else 1 :])
        if place in self.wanted:
            self._add(self.current if inside else self.leaves.about, place)
        self.characters = []
        if self.path[1:] == [self.record]:
            self.leaves.records.append(self.current)
            self.current = {}
        self.path.pop()
        self.leaves.whole = not self.path

    def _add(self, texts: dict[str, str], place: str) -> None:
        if place in texts:
            raise RefusedError("DUP_KEY", f"the XML gives {place!r} twice for one GPU")
        texts[place] = "".join(self.characters).strip()
