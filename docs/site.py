"""What MkDocs needs to make a site of these pages: README and its neighbours among them, formulas as MathML.

MathML is drawn by browsers themselves: no script is loaded, and the site can be read without a network.
"""

import re
from pathlib import Path

from latex2mathml.converter import convert
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "results/FINDINGS.md": "findings.md",
    "src/pacer/reports/data/README.md": "src/pacer/reports/data/README.md",
    **{f"benchmarks/results/{p.name}": f"benchmarks/{p.name}" for p in (ROOT / "benchmarks/results").glob("*.md")},
}
PICTURES = ("results/figures/main/curves.svg", "benchmarks/results/core_hour.svg")


def on_config(config):
    config.markdown_extensions.append(Formulas())
    fence = {"name": "math", "class": "math", "format": lambda source, *_, **__: mathml(source, "block")}
    config.mdx_configs["pymdownx.superfences"] = {"custom_fences": [fence]}
    return config


def on_files(files, config):
    for source, page in PAGES.items():
        text = (ROOT / source).read_text("utf-8").replace("](docs/", "](").replace("](../docs/", "](")
        files.append(File.generated(config, page, content=text))
    for picture in PICTURES:
        files.append(File.generated(config, picture, content=(ROOT / picture).read_bytes()))
    for example in sorted((ROOT / "examples").glob("*.py")):
        text = f"# {example.name}\n\n```python\n{example.read_text('utf-8')}```\n"
        files.append(File.generated(config, f"examples/{example.stem}.md", content=text))
    return files


def on_page_markdown(markdown, **_):
    """Links as they are in the repository, led to the site's pages."""
    for source, page in PAGES.items():
        markdown = markdown.replace(f"](../{source}", f"]({page}").replace(f"]({source}", f"]({page}")
    markdown = re.sub(r"\]\((?:\.\./)?examples/(\w+)\.py\)", r"](examples/\1.md)", markdown)
    for picture in PICTURES:
        markdown = markdown.replace(f"](../{picture}", f"]({picture}")
    return markdown.replace("](examples)", "](extending.md)").replace("](results/)", "](findings.md)")


class Formulas(Extension):
    def extendMarkdown(self, md):
        md.inlinePatterns.register(Formula(r"\$([^$]+)\$", md), "formula", 185)  # after code, before escapes


class Formula(InlineProcessor):
    def handleMatch(self, m, data):
        return self.md.htmlStash.store(mathml(m[1], "inline")), m.start(0), m.end(0)


def mathml(latex, display):
    return convert(" ".join(latex.split()), display=display)
