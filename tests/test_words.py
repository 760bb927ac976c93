"""What people read is written in the field's words: no private word comes back into docs, web pages, help or messages.

The words are looked for in prose: outside code blocks, `code`, the targets of links and docstrings.
"""

import ast
import re
import subprocess
from pathlib import Path

import click
import pytest

from howsure.cli.app import app

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "howsure"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TEMPLATES = sorted((SOURCE / "web" / "templates").glob("*.html"))

COUNTED = r"the|of|its|their|these|all|many|no|null|same|other|joint|two-way|bootstrap|more|fewer|most|[\d,]+"
INSTEAD = {
    r"(?<!colour )contrasts?": "advantage; better by, higher by, lower by",
    r"swapped[- ]items?": "sign-flip test",
    r"recentred": "shifted bootstrap",
    r"dealt[- ]responses": "permuted responses",
    r"sign-change": "bootstrap-sign",
    r"told apart|(tells?|telling) ([^\s.;:]+ ){0,4}apart": "significantly different; differ",
    r"promis(e|es|ed|ing)": "nominal, planned",
    r"may be best": "may be the best",
    r"neighbours?": "adjacent ranks",
    r"boards?": "leaderboard",
    rf"({COUNTED}) draws|(a|one|each|every|per|null|no) draw|draw by draw": "resamples, simulations",
    r"rank_low|rank_high": "rank range, or words with spaces as a column header",
    r"(if|when|where|may be) (it is |they are )?left out": "default, optional",
    r"\d %(?!})": "percent without a space: 95%",
    r"(is|are) refused": "is an error",
    r"house|rooms?": "package, module",
    r"faces?": "interface",
    r"\d+ times in 10": "80% power",
    r"Read it so|Correct it beside|Take it with you|The same elsewhere|asked of|asks for its token|\(needed\)": (
        "Apply, Fix it in the form on the right, Download, Reproduce, Data, Enter the access token, (required)"
    ),
}
"""Patterns of what nobody is to read, in any case, and what to write instead."""

HISTORY = {r"no longer|used to be|as before": "present tense; history belongs into the changelog"}

EXCEPTIONS = {
    ("README.md", "leader(board)"): "title of a paper",
    ("docs/evidence/replications.md", "leader(board)"): "title of a paper",
    ("docs/evidence/replications-leader.md", "leader(board)"): "title of a paper",
    ("docs/evidence/audit.md", "leader(board)"): "title of a paper",
    ("docs/evidence/levels.md", "leader(board)"): "title of a paper",
    ("src/howsure/comparison/together.py", "null draws"): "name of a stream of random numbers, which nobody reads",
}
"""What a page may say all the same, and why."""


def forbidden(text, words=INSTEAD):
    """Return what a text says that it must not say, with what to say instead."""
    return [
        f"{found.group()!r} (write: {instead})"
        for pattern, instead in words.items()
        for found in re.finditer(rf"(?<![\w-])({pattern})(?![\w-])", text, re.I)
    ]


def prose(text):
    """Return the prose of Markdown."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    return " ".join(re.sub(r"`[^`]*`", "`code`", re.sub(r"\]\([^)]*\)", "]", text)).split())


def messages(path):
    """Yield the strings with a space of a module that are no docstrings: sentences, and parts of them."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    loose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    for node in texts:
        if " " in node.value and id(node) not in loose:
            yield re.sub(r"`[^`]*`", "`code`", node.value)


def allowed(path, text):
    """Whether a module may say this all the same."""
    return path.name == "citations.py" or (path.relative_to(ROOT).as_posix(), text) in EXCEPTIONS  # titles of papers


def helps(command, path=()):
    """Yield every command's name and its help."""
    context = click.Context(command, info_name="howsure", terminal_width=1000, max_content_width=1000)
    yield " ".join(path), " ".join(command.get_help(context).split())
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from helps(command.get_command(context, name), (*path, name))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_docs(page):
    text = prose(page.read_text(encoding="utf-8"))
    for name, allowed in EXCEPTIONS:
        if name == page.relative_to(ROOT).as_posix():
            assert allowed in text, "take it off EXCEPTIONS"
            text = text.replace(allowed, "")
    assert not forbidden(text, INSTEAD | HISTORY)


@pytest.mark.parametrize("page", TEMPLATES, ids=lambda page: page.name)
def test_web_pages(page):
    assert not forbidden(page.read_text(encoding="utf-8"))


def test_messages():
    found = {
        path.relative_to(SOURCE).as_posix(): said
        for path in sorted(SOURCE.rglob("*.py"))
        if (said := [each for text in messages(path) if not allowed(path, text) for each in forbidden(text)])
    }
    assert not found, "\n".join(f"{module}: {each}" for module, said in found.items() for each in said)


def test_help():
    found = {name: said for name, text in helps(app) if (said := forbidden(text))}
    assert not found, found


def test_the_former_name_is_in_the_changelog_only():
    former = "as" + "say"
    shown = subprocess.run(
        ["git", "grep", "--ignore-case", "--count", former], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert shown.stdout.split() == ["CHANGELOG.md:1"]
