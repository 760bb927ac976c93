"""A document as LaTeX: booktabs tables with aligned numbers, to be pasted into a paper or compiled as it is."""

from assay.documents.document import Block, Definitions, Document, Figure, Heading, Sentence, Table
from assay.documents.numbers import shown
from assay.documents.text import plain

HEAD = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\usepackage{booktabs}
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
    "←": r"$\leftarrow$", "√": r"$\surd$", "Σ": r"$\Sigma$", "σ": r"$\sigma$", "μ": r"$\mu$",
}  # fmt: skip
PRINTABLE = set("ÄÖÜäöüßàáâãåæçèéêëìíîïñòóôõøùúûýÿÀÁÂÃÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕØÙÚÛÝ§")


def render(document: Document) -> str:
    """Return the whole document, ready for pdflatex."""
    parts = [rf"\section*{{{escape(document.title)}}}"] if document.title else []
    parts += [_block(block) for block in document.blocks]
    if document.notes:
        notes = "\n".join(rf"\item {escape(note)}" for note in document.notes)
        parts.append(f"\\begin{{itemize}}\n{notes}\n\\end{{itemize}}")
    if document.signature:
        parts.append(rf"{{\footnotesize\raggedright\texttt{{{escape(document.signature)}}}\par}}")
    return HEAD + "\n\n".join(parts) + "\n\n\\end{document}\n"


def table(block: Table) -> str:
    r"""Return a table between \toprule and \bottomrule; numbers are aligned to the right.

    Examples
    --------
    >>> from assay.documents import Column
    >>> print(table(Table((Column("metric"), Column("p", "pvalue")), (("a_b", 0.01),))))
    \begin{tabular}{lr}
    \toprule
    metric & p \\
    \midrule
    a\_b & 0.01 \\
    \bottomrule
    \end{tabular}
    """
    form = "".join("l" if column.kind == "text" else "r" for column in block.columns)
    head = " & ".join(escape(column.title) for column in block.columns)
    rows = []
    for number, row in enumerate(block.rows):
        cells = [escape(shown(value, column.kind)) for value, column in zip(row, block.columns, strict=True)]
        bold = [number in block.marked or (number, i) in block.marked for i in range(len(cells))]
        rows.append(" & ".join(rf"\textbf{{{cell}}}" if b else cell for cell, b in zip(cells, bold, strict=True)))
    body = "\n".join(rf"{row} \\" for row in rows)
    return "\n".join([
        rf"\begin{{tabular}}{{{form}}}", r"\toprule", rf"{head} \\", r"\midrule", *([body] if body else []),
        r"\bottomrule", r"\end{tabular}",
    ])  # fmt: skip


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return rf"\subsection*{{{escape(block.text)}}}"
    if isinstance(block, Sentence):
        return rf"\textbf{{{escape(block.text)}}}" if block.role == "verdict" else escape(block.text)
    if isinstance(block, Table):
        title = rf"\textit{{{escape(block.title)}}}" + "\\\\[2pt]\n" if block.title else ""
        wide = sum(max([len(column.title), *(len(shown(row[i], column.kind)) for row in block.rows)])
                   for i, column in enumerate(block.columns))  # fmt: skip
        size = r"\small " if wide > 90 else ""
        return f"{{{size}{title}{table(block)}\\par}}"
    if isinstance(block, Figure):
        return rf"\emph{{Figure: {escape(block.title)}. {escape(block.alternative)}}}"
    return _definitions(block)


def _definitions(block: Definitions) -> str:
    entries = "\n".join(rf"\item[{{{escape(term)}}}] {escape(meaning)}" for term, meaning in block.entries)
    title = rf"\textit{{{escape(block.title)}}}" + "\n" if block.title else ""
    return f"{title}\\begin{{description}}\n{entries}\n\\end{{description}}" if entries else title


def escape(said: str) -> str:
    r"""Return text in which nothing is a command; letters that LaTeX lacks are shown by their number.

    Examples
    --------
    >>> escape(r"\input{x} 50 %")
    '\\textbackslash{}input\\{x\\} 50 \\%'
    """
    return "".join(_letter(letter) for letter in plain(said))


def _letter(letter: str) -> str:
    if letter in SPECIAL:
        return SPECIAL[letter]
    return letter if letter.isascii() or letter in PRINTABLE else f"[U+{ord(letter):04X}]"
