"""The report as one page: tables and configurations as HTML, charts as data and the scripts that draw them."""

import base64
import hashlib
import json
import re
from datetime import datetime
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pacer.errors import PacerError
from pacer.reports.content import content
from pacer.reports.dataset import Dataset
from pacer.reports.sections import sections, summary
from pacer.runs.files import replacing

WEB = Path(__file__).parent / "web"
SCRIPTS = ("choices", "figures", "lines", "bars", "risk", "insight", "start")


def write(dataset: Dataset, path: Path, title: str = "pacer report", reload: float = 0) -> None:
    """The page takes the place of an older one at once, so that a reader never gets a half."""
    text = render(dataset, title, reload)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.encode(errors="replace"))  # names of folders may be no text


def render(dataset: Dataset, title: str = "pacer report", reload: float = 0) -> str:
    """The page's text; with `reload` it reads itself anew after so many seconds."""
    shown = content(dataset)
    parts = sections(dataset, shown)
    scripts = {"plotly": _plotly(), "script": "\n".join((WEB / f"{name}.js").read_text("utf-8") for name in SCRIPTS)}
    pieces = {
        **scripts,
        "reload": f' data-reload="{reload:g}"' if reload else "",
        "hashes": " ".join(_hash(text) for text in scripts.values()),  # no other script can run
        "title": escape(title),
        "style": (WEB / "page.css").read_text("utf-8"),
        "summary": escape(summary(dataset)),
        "links": " ".join(f'<a href="#{part.id}">{escape(part.title)}</a>' for part in parts),
        "overview": parts[0].html,
        "sections": "\n".join(part.html for part in parts[1:]),
        "version": escape(version("pacer-rl")),
        "written": f"{datetime.now():%Y-%m-%d %H:%M}",
        "content": island(shown),
    }
    template = (WEB / "page.html").read_text("utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: pieces[match[1]], template)  # once: what is filled in stays as it is


def island(value: Any) -> str:
    """JSON that can stand inside a script element: nothing in it can end the element or begin a comment."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise PacerError("a report needs plotly: pip install 'pacer-rl[report]'") from error
    source: str = get_plotlyjs()
    return source.replace("</script", "<\\/script")


def _hash(script: str) -> str:
    """A script's name in the page's security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
