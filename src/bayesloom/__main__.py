"""``python -m bayesloom``: the command line."""

from bayesloom.cli import main

main()
