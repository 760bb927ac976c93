"""The commands that are not questions: `metrics`, `presets`, `example`, `convert` and `serve`."""

import json
import textwrap
from dataclasses import MISSING, dataclass, fields
from inspect import getdoc, signature
from typing import TYPE_CHECKING, Any

import click

from howsure._fields import Checked, like, option
from howsure.cli import _ask, _commands
from howsure.cli._ask import say
from howsure.errors import needs_extra
from howsure.questions.table_fields import TableFields
from howsure.wording.options import as_options

if TYPE_CHECKING:
    from howsure.data.response_tables import ResponseTable
    from howsure.metrics import Metric
    from howsure.models import ResponseModel


WIDTH = 80
Entry = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Metrics(Checked):
    """Which metric is shown in detail."""

    metric: str = option(
        "",
        "Metric to show in detail. Default: list all.",
        suggested="howsure.metrics.builtin:BUILTIN",
        positional=True,
    )
    json: bool = like(_ask.Output, "json", group="")


@dataclass(frozen=True, kw_only=True)
class Presets(Checked):
    """Which preset is shown in detail."""

    preset: str = option(
        "", "Preset to show in detail. Default: list all.", suggested="howsure.models.presets:PRESETS", positional=True
    )
    json: bool = like(_ask.Output, "json", group="")


def metrics() -> click.Command:
    """Return the command that lists metrics."""
    said = "List the metrics by the data they need, or show one."
    return _commands.command_of("metrics", Metrics, list_metrics, said, ("howsure metrics", "howsure metrics mae"))


def presets() -> click.Command:
    """Return the command that lists presets."""
    said = "List preset response models and families of items, or show one."
    examples = ("howsure presets", "howsure presets likert-toxicity")
    return _commands.command_of("presets", Presets, list_presets, said, examples)


def list_metrics(asked: Metrics) -> None:
    """Print one line for each metric, or one metric in detail."""
    from howsure import _offers
    from howsure.metrics.builtin import BUILTIN, FAMILIES, ON_PREFERENCES, resolve

    if asked.metric:
        _show_one(metric_entry(asked.metric, resolve(asked.metric)), asked.json)
        return
    named = {**BUILTIN, **ON_PREFERENCES, **_offers.offered(_offers.METRICS)}
    entries = [metric_entry(name, metric) for name, metric in named.items()]
    for start, make in FAMILIES.items():
        parameter = next(iter(signature(make).parameters)).upper()
        entries.append({"name": f"{start}{parameter}", "data": "Families of metrics", "title": _first_line(make)})
    _show_all(entries, "metrics", "data", asked.json)


def metric_entry(name: str, metric: "Metric") -> Entry:
    """Return what people need to know about a metric, from its attributes and its docstring."""
    from howsure.questions.table_fields import PARAMETERS

    settings = {field.name for field in fields(metric)}
    return {
        "name": name,
        "title": metric.title,
        "description": _first_line(metric),
        "better": metric.better,
        "data": _data(metric),
        "scales": list(metric.kinds),
        "item_scores": metric.additive,
        "options": [f"--{option}" for option, setting in PARAMETERS.items() if setting in settings],
        "example": f"howsure compare FILE --metric {name}",
    }


def _data(metric: "Metric") -> str:
    if metric.gold_free:
        return "Ratings or preferences, without gold"
    if "nominal" not in metric.kinds:
        return "Numbers or ordered ratings, with gold"
    return "Labels or numbers, with gold" if "continuous" in metric.kinds else "Labels, with gold"


def list_presets(asked: Presets) -> None:
    """Print one line for each preset and each family of item means and standard deviations, or one preset in detail."""
    from howsure.models.families import FAMILIES
    from howsure.models.presets import PRESETS, preset

    if asked.preset:
        _show_one(preset_entry(asked.preset, preset(asked.preset)), asked.json)
        return
    entries = [preset_entry(name, model) for name, model in PRESETS.items()]
    families: list[Entry] = []
    for name, family in FAMILIES.items():
        needed = ",".join(field.name.upper() for field in fields(family) if field.default is MISSING)
        title = f"{name}:{needed}  {_first_line(family)}"
        families.append({"name": name, "title": title, "model": "Families for --mean and --sd"})
    if asked.json:
        say(json.dumps({"presets": entries, "families": families}, ensure_ascii=False, indent=1))
        return
    _show_all([*entries, *families], "presets", "model", as_json=False)


def preset_entry(name: str, model: "ResponseModel") -> Entry:
    """Return what people need to know about a preset, from the model's own description."""
    head, _, parameters = str(model).partition(": ")
    kind, _, size = head.partition(", ")
    return {
        "name": name,
        "title": f"{size}: {parameters}" if size else parameters,
        "model": f"{kind[0].upper()}{kind[1:]}",
        "scale": model.scale.kind,
        "values": list(model.scale.levels),
        "example": f"howsure simulate {name} --n-items 100 --out simulated.csv",
    }


def _first_line(described: object) -> str:
    return (getdoc(described) or "").split("\n")[0]


def _show_all(entries: list[Entry], what: str, under: str, as_json: bool) -> None:
    """Print a line for each entry, under headings that are the entries' values of `under`."""
    if as_json:
        say(json.dumps({what: entries}, ensure_ascii=False, indent=1))
        return
    width = max(len(entry["name"]) for entry in entries)
    for heading in dict.fromkeys(entry[under] for entry in entries):
        say(f"{heading}:")
        for entry in entries:
            if entry[under] == heading:
                better = f" ({entry['better']} is better)" if "better" in entry else ""
                _say_beside(f"  {entry['name']:{width}}  ", f"{entry['title']}{better}")
        say("")
    say(f"Details: howsure {what} NAME")


def _show_one(entry: Entry, as_json: bool) -> None:
    """Print everything about one entry."""
    if as_json:
        say(json.dumps(entry, ensure_ascii=False, indent=1))
        return
    for name, value in entry.items():
        shown = ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)
        _say_beside(f"{name.replace('_', ' '):13}", {"True": "yes", "False": "no"}.get(shown, shown))


def _say_beside(name: str, said: str) -> None:
    """Print a name and what is said about it, in as many lines as it takes."""
    say(textwrap.fill(said, WIDTH, initial_indent=name, subsequent_indent=" " * len(name), break_on_hyphens=False))


@dataclass(frozen=True, kw_only=True)
class Example(Checked):
    """What is written, and where."""

    out: str = option(
        "ratings.csv",
        "File to write: .csv, .tsv, .jsonl or .parquet; scores: .txt, .tsv or .csv.",
        metavar="FILE",
        positional=True,
    )
    kind: str = option(
        "ratings",
        "Human and model ratings, ratings by people and a judge, or scores of two systems without (h0) or with (h1) a "
        "difference.",
        choices="howsure.examples:EVERY_KIND",
    )
    force: bool = like(_ask.Output, "force", group="")


def example() -> click.Command:
    """Return the command that writes example data."""
    said = "Write simulated ratings or scores to try the commands on."
    examples = ("howsure example ratings.csv", "howsure example scores.txt --kind h1-greater-beta")
    return _commands.command_of("example", Example, write_example, said, examples)


def write_example(asked: Example) -> None:
    """Write the example."""
    from howsure import _files, examples, io
    from howsure.paired import write_scores

    table = examples.TABLES.get(asked.kind)
    endings = (".csv", ".tsv", ".jsonl", ".parquet") if table else (".txt", ".tsv", ".csv")
    _files.check_outputs({"out": asked.out}, endings={"out": endings}, force=asked.force)
    if table:
        ratings = table()
        io.write(ratings, asked.out, force=asked.force)
        say(f"{asked.out}: {ratings}")
        return
    scores = examples.scores(asked.kind)
    write_scores(scores, asked.out, force=asked.force)
    say(f"{asked.out}: {scores}; {examples.KINDS[asked.kind]}")


@dataclass(frozen=True, kw_only=True)
class Convert(TableFields, Checked):
    """What is read, and where it is written."""

    item: str | None = like(TableFields, "item", common=True)
    source: str | None = like(TableFields, "source", common=True)
    value: str | None = like(TableFields, "value", common=True)
    rater: str | None = like(TableFields, "rater", common=True)
    where: tuple[str, ...] = like(TableFields, "where", common=True)
    scorer: str | None = like(TableFields, "scorer", common=True)
    out: str = option(help="File to write: .csv, .tsv, .jsonl or .parquet.", metavar="FILE", common=True)
    force: bool = like(_ask.Output, "force", group="", common=True)


def convert() -> click.Command:
    """Return the command that writes one tidy table."""
    said = "Convert logs, exports and tables to one tidy table.\n\nThe table has one response per row."
    examples = (
        "howsure convert ratings.csv --out ratings.parquet",
        "howsure convert ratings.csv --where topic=fiction --out fiction.jsonl",
    )
    return _commands.command_of("convert", Convert, write_table, said, examples)


def write_table(asked: Convert) -> None:
    """Read the files and write the table."""
    from howsure import _files, io
    from howsure.io.files import named_files
    from howsure.io.writing import WRITERS

    inputs = [file.path for file in named_files(asked.files)]
    _files.check_outputs({"out": asked.out}, inputs=inputs, endings={"out": tuple(WRITERS)}, force=asked.force)
    table = asked.table()
    io.write(table, asked.out, force=asked.force)
    say(f"{asked.out}: {table}")
    for note in (*table.notes, *_direction(table)):
        say(f"Note: {as_options(note)}")


def _direction(table: "ResponseTable") -> list[str]:
    """Say what a tidy table cannot say: that lower values are better."""
    if table.better != "lower":
        return []
    return ["Lower values are better, as the data say. A table cannot say this: compare it with `better='lower'`."]


def serve() -> click.Command:
    """Return the command that starts the web page."""
    from howsure.web.settings import Settings

    def start(settings: Settings) -> None:
        try:
            from howsure.web import app
        except ImportError:
            raise needs_extra("the web page", "web") from None
        where = f"http://{'127.0.0.1' if settings.is_local else settings.host}:{settings.port}"

        def ready() -> None:
            click.echo(f"howsure is at {where}; Ctrl-C stops it.")
            if not settings.is_local:
                click.echo("Visitors must give the token.")

        app.serve(settings, ready)

    said = "Start the web interface on this machine."
    examples = ("howsure serve", "howsure serve --port 9000 --folder work")
    return _commands.command_of("serve", Settings, start, said, examples)
