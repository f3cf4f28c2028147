"""Paths of pages, and links to them and to other sites."""

import hashlib
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from pipeline.website.i18n.language import current_language, gettext
from pipeline.website.writing.escape import escape

_PATH = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(/[a-z0-9]+(-[a-z0-9]+)*)*")
_WEB_ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(:\d+)?(/[^\s\"'<>`\\]*)?")
_SEPARATORS = re.compile(r"[\s._-]+")
_LONGEST_SLUG = 60
ROW_ID_LENGTH = 8  # of a hash, enough to tell the rows of a page apart
FILE_ID_LENGTH = 12  # likewise the stored files of a source


class Seller(NamedTuple):
    """A provider as pages print it: its name, and the address of its prices where one is known."""

    name: str
    url: str | None


Sellers = Mapping[str, Seller]  # by provider


def is_web_address(url: str | None) -> bool:
    """Report whether the URL is a plain web address that a link may have."""
    return bool(url and _WEB_ADDRESS.fullmatch(url))


def site_address() -> str:
    """The address that the site will have, from the variable GPULEDGER_SITE_URL; empty if it is not set."""
    return os.environ.get("GPULEDGER_SITE_URL", "")


def repository_address() -> str:
    """The address of the repository, from the variable GPULEDGER_REPOSITORY_URL; empty if it is not set."""
    return os.environ.get("GPULEDGER_REPOSITORY_URL", "")


def path_segment(name: str) -> Markup:
    """The name as part of a path. Raises ValueError if it is not one."""
    if not _PATH.fullmatch(name):
        raise ValueError(f"{name!r}: want lower-case words joined by hyphens; look at the gpu_id")
    return Markup(name)  # noqa: S704


def gpu_path(gpu_id: str) -> str:
    """Path of a GPU's page below the site's root."""
    return f"gpus/{path_segment(gpu_id)}/index.html"


def slug(name: str) -> str:
    """Any name in lower case as one part of a path. A digest distinguishes long names and those with other characters."""
    lower = name.strip().lower()
    joined = _SEPARATORS.sub("-", lower)
    if len(joined) <= _LONGEST_SLUG and _PATH.fullmatch(joined) and "/" not in joined:
        return joined
    letters = "-".join(re.findall("[a-z0-9]+", lower))[: _LONGEST_SLUG // 2]
    return f"{letters}-{hashlib.sha256(lower.encode()).hexdigest()[:8]}".replace("--", "-").lstrip("-")


def provider_path(provider: str) -> str:
    """Path of a provider's page below the site's root."""
    return f"providers/{slug(provider)}/index.html"


def source_path(source_id: str) -> str:
    """Path of a source's page below the site's root."""
    return f"sources/{slug(source_id)}/index.html"


def table_path(name: str) -> str:
    """Path of the page of a published table below the site's root."""
    return f"dictionary/{slug(name)}/index.html"


def workload_path(workload: str) -> str:
    """Path of a workload's page below the site's root."""
    return f"workloads/{slug(workload)}/index.html"


def link(url: str | None, text: object) -> Markup:
    """The text as a link if the URL is a plain web address, else the text alone."""
    if is_web_address(url):
        return _anchor(escape(url), text, ' rel="nofollow noopener"')
    return escape(text)


def _anchor(address: str, text: object, more: str = "") -> Markup:
    """The text as a link to an escaped address. `Markup.format` takes ten times as long, and a site has thousands of links."""
    return Markup(f'<a href="{address}"{more}>{escape(text)}</a>')  # noqa: S704


def shared_root(root: Markup) -> Markup:
    """The path to the root of all languages, from the path to the root of the current one."""
    return Markup("../") + root if current_language().folder else root


def gpu_link(root: str, gpu_id: str | None, text: object) -> Markup:
    """The text as a link to the GPU's page, or the text alone if the GPU is unknown."""
    if gpu_id and _PATH.fullmatch(gpu_id):
        return _anchor(f"{root}{gpu_path(gpu_id)}", text)
    return escape(text)


def provider_name(provider: str, sellers: Sellers) -> str:
    """The provider's name as people write it, or as its source does where no other is known."""
    return gettext(sellers[provider].name if provider in sellers else provider)


def provider_link(root: str, provider: str, sellers: Sellers) -> Markup:
    """The provider's name as a link to its page."""
    return _anchor(f"{root}{provider_path(provider)}", provider_name(provider, sellers))


def offer_link(root: str, provider: str, sellers: Sellers) -> Markup:
    """The provider's name as a link to its page here, followed by a link to its own site where the address is known."""
    seller = sellers.get(provider, Seller(provider, None))
    return provider_link(root, provider, sellers) + seller_link(seller.name, seller.url)


def seller_link(provider: str, url: str | None) -> Markup:
    """An arrow as a link to the seller's own site; nothing unless the address is a plain https address."""
    if not url or not is_web_address(url) or not url.startswith("https:"):
        return Markup()
    label = escape(gettext("{provider}: website of the seller", provider=provider))
    return Markup(f' <a class="gl-out" href="{escape(url)}" rel="nofollow noopener" aria-label="{label}">↗</a>')  # noqa: S704


def stored_row_query(row: Mapping[str, Any]) -> str:
    """The part of an address that names a stored row; `row` has snapshot_id and locator."""
    return f"file={quote(row['snapshot_id'][:FILE_ID_LENGTH])}&row={quote(row['locator'], safe=',')}"


def stored_row_link(root: str, row: Mapping[str, Any], text: object) -> Markup:
    """The text as a link to the row of a stored file; `row` has source_id, snapshot_id and locator."""
    query = stored_row_query(row).replace("&", "&amp;")  # quoted, so that nothing else needs an escape
    return _anchor(f"{root}{source_path(row['source_id'])}?{query}", text)


def workload_link(root: str, workload: str, text: object) -> Markup:
    """The text as a link to the workload's page."""
    return _anchor(f"{root}{workload_path(workload)}", text)
