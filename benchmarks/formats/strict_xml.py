"""XML as an upload may hold it: no declarations of its own, bounded depth, nothing fetched. No format."""

from dataclasses import dataclass, field
from xml.parsers import expat

from benchmarks.formats.core import RefusedError

DEEPEST = 32


@dataclass(slots=True)
class Leaves:
    """Texts of a document by their path below the root (`a/b`), those of each closed record apart by their path below it."""

    about: dict[str, str] = field(default_factory=dict)
    records: list[dict[str, str]] = field(default_factory=list)
    whole: bool = False


def leaves(text: str, record: str, wanted: set[str], first_line: int = 1) -> Leaves:
    """The `wanted` texts of a document whose root holds elements named `record`; one that breaks off is not `whole`.

    Raises RefusedError PARSE for what is no XML or declares entities, TOO_DEEP, and DUP_KEY for a wanted text that comes twice.
    """
    reader = _Reader(record, wanted)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_declarations
    parser.SkippedEntityHandler = _refuse_entity
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(text, False)
    except expat.ExpatError as error:
        place = first_line + error.lineno - 1
        raise RefusedError("PARSE", f"broken XML ({expat.ErrorString(error.code)}); upload the file whole", place) from None
    return reader.found


def _refuse_declarations(_name: str, _system: str | None, _public: str | None, has_internal_subset: bool) -> None:
    if has_internal_subset:
        raise RefusedError("PARSE", "XML whose DOCTYPE declares entities or elements is not read; upload the tool's own output")


def _refuse_entity(name: str, _is_parameter_entity: bool) -> None:
    raise RefusedError("PARSE", f"XML with the unknown entity {name[:40]!r}; upload the tool's own output")


class _Reader:
    """Handlers that keep the wanted texts, by where in the document they stand."""

    def __init__(self, record: str, wanted: set[str]) -> None:
        self.record, self.wanted = record, wanted
        self.found = Leaves()
        self.path: list[str] = []
        self.said: list[str] = []
        self.current: dict[str, str] = {}

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        self.path.append(name)
        self.said = []
        if len(self.path) > DEEPEST:
            raise RefusedError("TOO_DEEP", f"XML nested deeper than {DEEPEST}, which no tool writes")

    def text(self, data: str) -> None:
        self.said.append(data)

    def end(self, _name: str) -> None:
        inside = len(self.path) > 2 and self.path[1] == self.record
        place = "/".join(self.path[2 if inside else 1 :])
        if place in self.wanted:
            self._keep(self.current if inside else self.found.about, place)
        self.said = []
        if self.path[1:] == [self.record]:
            self.found.records.append(self.current)
            self.current = {}
        self.path.pop()
        self.found.whole = not self.path

    def _keep(self, texts: dict[str, str], place: str) -> None:
        if place in texts:
            raise RefusedError("DUP_KEY", f"the XML gives {place!r} twice for one card")
        texts[place] = "".join(self.said).strip()
