"""A document as LaTeX: booktabs tables with aligned numbers, to be pasted into a paper or compiled as it is."""

import re

from howsure.documents.document import (
    Block,
    Code,
    Column,
    Definitions,
    Document,
    Figure,
    Heading,
    Points,
    Sentence,
    Table,
)
from howsure.documents.numbers import shown
from howsure.documents.text import plain

HEAD = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\usepackage{booktabs}
\usepackage{longtable}
\usepackage{graphicx}
\usepackage[margin=2.5cm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\begin{document}
"""
SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}", "-": r"{-}",
    "−": r"$-$", "×": r"$\times$", "±": r"$\pm$", "≤": r"$\le$", "≥": r"$\ge$", "∞": r"$\infty$", "–": r"--",
    "—": r"---", "ε": r"$\varepsilon$", "α": r"$\alpha$", "κ": r"$\kappa$", "δ": r"$\delta$", "Δ": r"$\Delta$",
    "ρ": r"$\rho$", "χ": r"$\chi$", "²": r"$^2$", "·": r"$\cdot$", "…": r"\ldots{}", "’": "'", "→": r"$\to$",
    "←": r"$\leftarrow$", "√": r"$\surd$", "Σ": r"$\Sigma$", "σ": r"$\sigma$", "μ": r"$\mu$", "ā": r"$\bar a$",
    "ḡ": r"$\bar g$", "ᵢ": r"$_i$", "ⱼ": r"$_j$", "ₖ": r"$_k$", "₀": r"$_0$", "γ": r"$\gamma$", "τ": r"$\tau$",
    "λ": r"$\lambda$", "Φ": r"$\Phi$", "θ": r"$\theta$", "β": r"$\beta$", "≈": r"$\approx$", "∈": r"$\in$",
    "≠": r"$\ne$", "∪": r"$\cup$", "∑": r"$\sum$", "³": r"$^3$", "⌊": r"$\lfloor$", "⌋": r"$\rfloor$",
    "“": "``", "”": "''", "⁻": r"$^-$", "¹": r"$^1$", "ˢ": r"$^s$", "≫": r"$\gg$", "½": r"$\frac12$",
    "▁": ".", "▂": ".", "▃": ":", "▄": ":", "▅": "|", "▆": "|", "▇": "|", "█": "|",
}  # fmt: skip
NUMBER = re.compile(r"[-−]?[\d,]+(\.\d+)?")
WIDE, LONG = 40, 40
"""Text with more letters is folded, tables with more rows run over pages."""
PRINTABLE = set("ÄÖÜäöüßàáâãåæçèéêëìíîïñòóôõøùúûýÿÀÁÂÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕØÙÚÛÝ§")


def render(document: Document) -> str:
    """Return the whole document, ready for pdflatex."""
    return f"{HEAD}{fragment(document)}\n\n\\end{{document}}\n"


def fragment(document: Document) -> str:
    """Return what stands between begin and end of the document, for a notebook that is printed."""
    parts = [rf"\section*{{{escape(document.title)}}}"] if document.title else []
    parts += [_block(block) for block in document.blocks]
    if document.notes:
        parts.append(_items(document.notes))
    if document.signature:
        parts.append(rf"{{\footnotesize\raggedright\texttt{{{escape(document.signature)}}}\par}}")
    return "\n\n".join(parts)


def table(block: Table) -> str:
    r"""Return a table between \toprule and \bottomrule; the points of numbers stand under each other.

    Examples
    --------
    >>> from howsure.documents import Column
    >>> print(table(Table((Column("metric"), Column("p", "pvalue")), (("a_b", 0.01), ("c", 0.5)))))
    \begin{tabular}{lr}
    \toprule
    metric & p \\
    \midrule
    a\_b & 0.01 \\
    c & 0.5\phantom{0} \\
    \bottomrule
    \end{tabular}
    """
    texts = [[shown(row[i], column.kind) for row in block.rows] for i, column in enumerate(block.columns)]
    columns = [
        [escape(cell) for cell in cells] if column.kind == "text" else _aligned(cells)
        for column, cells in zip(block.columns, texts, strict=True)
    ]
    form = "".join(_form(column, cells) for column, cells in zip(block.columns, texts, strict=True))
    head = " & ".join(escape(column.title) for column in block.columns)
    rows = []
    for number, cells in enumerate(zip(*columns, strict=True)):
        bold = [number in block.marked or (number, i) in block.marked for i in range(len(cells))]
        rows.append(" & ".join(rf"\textbf{{{cell}}}" if b else cell for cell, b in zip(cells, bold, strict=True)))
    body = "\n".join(rf"{row} \\" for row in rows)
    kind = "longtable" if len(rows) > LONG else "tabular"
    repeated = [r"\endhead"] if kind == "longtable" else []
    return "\n".join(
        [
            rf"\begin{{{kind}}}{{{form}}}",
            r"\toprule",
            rf"{head} \\",
            r"\midrule",
            *repeated,
            *([body] if body else []),
            r"\bottomrule",
            rf"\end{{{kind}}}",
        ]
    )


def _form(column: Column, cells: list[str]) -> str:
    if column.kind != "text":
        return "r"
    return r"p{.3\linewidth}" if max(map(len, cells), default=0) > WIDE else "l"


def _aligned(cells: list[str]) -> list[str]:
    """Fill numbers up with invisible digits, so that their points stand under each other."""
    simple = [cell for cell in cells if NUMBER.fullmatch(cell)]
    most = max((len(cell.partition(".")[2]) for cell in simple), default=0)
    return [_filled(cell, most) if NUMBER.fullmatch(cell) else escape(cell) for cell in cells]


def _filled(cell: str, most: int) -> str:
    whole, point, digits = cell.partition(".")
    missing = ("" if point or not most else ".") + "0" * (most - len(digits))
    sign = "$-$" if whole[0] in "-−" else ""
    return f"{sign}{cell.lstrip('-−')}" + (rf"\phantom{{{missing}}}" if missing else "")


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return rf"\{'sub' * (block.level - 1)}section*{{{escape(block.text)}}}"
    if isinstance(block, Sentence):
        return rf"\textbf{{{escape(block.text)}}}" if block.role == "verdict" else escape(block.text)
    if isinstance(block, Table):
        title = rf"\textit{{{escape(block.title)}}}" + "\\\\[2pt]\n" if block.title else ""
        wide = sum(
            max([len(column.title), *(len(shown(row[i], column.kind)) for row in block.rows)])
            for i, column in enumerate(block.columns)
        )
        size = r"\small " if wide > 90 else ""
        return f"{{{size}{title}{table(block)}\\par}}"
    if isinstance(block, Points):
        return _items(block.entries)
    if isinstance(block, Code):
        lines = "\\\\\n".join(escape(line) or r"\mbox{}" for line in block.text.splitlines())
        return rf"{{\small\raggedright\texttt{{{lines}}}\par}}"
    if isinstance(block, Figure):
        return _figure(block)
    return _definitions(block)


def _figure(block: Figure) -> str:
    """Return the picture from its file, no wider than the page, with its words below."""
    if not block.file:
        return rf"\emph{{Figure: {escape(block.title)}. {escape(block.alternative)}}}"
    size = r"width=\linewidth,height=.8\textheight,keepaspectratio"
    return (
        rf"{{\centering\includegraphics[{size}]{{{block.file}}}\par}}"
        "\n\n"
        rf"{{\small\emph{{Figure: {escape(block.title)}. {escape(block.alternative)}}}\par}}"
    )


def _items(entries: tuple[str, ...]) -> str:
    written = "\n".join(rf"\item {escape(entry)}" for entry in entries)
    return f"\\begin{{itemize}}\n{written}\n\\end{{itemize}}" if entries else ""


def _definitions(block: Definitions) -> str:
    entries = "\n".join(rf"\item[{{{escape(term)}}}] {escape(meaning)}" for term, meaning in block.entries)
    title = rf"\textit{{{escape(block.title)}}}" + "\n" if block.title else ""
    return f"{title}\\begin{{description}}\n{entries}\n\\end{{description}}" if entries else title


def escape(said: str) -> str:
    r"""Return text in which nothing is a command; letters that LaTeX lacks are shown by their number.

    Examples
    --------
    >>> escape(r"\input{x} 50%")
    '\\textbackslash{}input\\{x\\} 50\\%'
    """
    return "".join(_letter(letter) for letter in plain(said))


def _letter(letter: str) -> str:
    if letter in SPECIAL:
        return SPECIAL[letter]
    return letter if letter.isascii() or letter in PRINTABLE else f"[U+{ord(letter):04X}]"
