"""Compiled templates, kept between builds. A damaged file is compiled again and never executed."""

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from pipeline.website.i18n.language import Language, languages
from pipeline.website.writing.page_writer import TEMPLATES, environment

HASH_BYTES = hashlib.sha256().digest_size


class HashedFiles(BytecodeCache):
    """One file per template in a folder: the hash of the compiled code, then the code. Several processes may write at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the code of a template, unless no file has it or a byte of the file was changed."""
        try:
            raw = (self._folder / bucket.key).read_bytes()
        except OSError:
            return
        stated, code = raw[:HASH_BYTES], raw[HASH_BYTES:]
        if hashlib.sha256(code).digest() == stated:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write the code of a template in one atomic step."""
        code = bucket.bytecode_to_string()
        with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as scratch:
            scratch.write(hashlib.sha256(code).digest() + code)
        os.replace(scratch.name, self._folder / bucket.key)


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
