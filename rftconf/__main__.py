"""`python -m rftconf`."""

from rftconf.cli.app import main

if __name__ == "__main__":
    main()
