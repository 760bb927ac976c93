"""`python -m howsure` is the `howsure` command."""

from howsure.cli import main

main()
