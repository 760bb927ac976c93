"""`python -m howsure` is the `howsure` command."""

from howsure._isolation import import_installed_code_only

import_installed_code_only()  # `-m` puts the current folder first, and the command imports much more

from howsure.cli import main  # noqa: E402

main()
