"""Compiled templates, kept between builds. A damaged file is compiled again and never executed."""

import hashlib
import shutil
from pathlib import Path

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from pipeline.files import read_hashed, with_hash
from pipeline.website.i18n.language import Language, languages
from pipeline.website.writing.page_writer import TEMPLATES, environment


class HashedFiles(BytecodeCache):
    """One file per template in a folder: the compiled code after its hash, which detects a mixture of two writers."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the code of a template, unless no file has it or a byte of the file was changed."""
        if code := read_hashed(self._folder / bucket.key):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write the code of a template with its hash."""
        (self._folder / bucket.key).write_bytes(with_hash(bucket.bytecode_to_string()))


def cache_templates(cache: Path) -> None:
    """Keep compiled templates in `cache` between builds.

    Jinja2 compiles a template again when its source changes. The folder's name is the hash of all else that the result depends
    on: the catalog of the language and the Python code of the website.
    """
    environments = {cache / "templates" / f"{one.code}-{_code_hash(one)}": environment(one) for one in languages()}
    for folder, compiling in environments.items():
        folder.mkdir(parents=True, exist_ok=True)
        compiling.bytecode_cache = HashedFiles(folder)
    for outdated in set((cache / "templates").iterdir()) - environments.keys():
        shutil.rmtree(outdated, ignore_errors=True)


def _code_hash(language: Language) -> str:
    """Hash of the catalog and of the Python code."""
    digest = hashlib.sha256(repr(sorted(language.messages.items())).encode())
    for path in sorted(TEMPLATES.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
