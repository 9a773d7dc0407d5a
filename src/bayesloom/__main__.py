"""``python -m bayesloom``: the command line."""

from bayesloom.cli import main

if __name__ == "__main__":
    main()
