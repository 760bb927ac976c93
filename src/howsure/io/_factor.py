"""Ids as numbers."""

from dataclasses import dataclass

import polars as pl

from howsure.scales import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A column of ids as numbers: `names[codes[row]]`, in the order of first appearance; -1 is a blank cell."""

    names: list[str]
    codes: IntArray

    @classmethod
    def of(cls, ids: pl.Series) -> "Factor":
        """Give every id of a column of text its number."""
        names = ids.drop_nulls().unique(maintain_order=True)
        codes = ids.cast(pl.Enum(names)).to_physical().cast(pl.Int64).fill_null(-1)
        return cls(names.to_list(), codes.to_numpy())

    @classmethod
    def of_codes(cls, codes: pl.Series, names: list[str]) -> "Factor":
        """Keep the names that are used, in the order of first appearance; a code below 0 is a blank cell."""
        used = codes.filter(codes >= 0).unique(maintain_order=True)
        numbers = pl.int_range(len(used), eager=True)
        found = codes.replace_strict(used, numbers, default=-1, return_dtype=pl.Int64)
        return cls([names[code] for code in used], found.to_numpy())
