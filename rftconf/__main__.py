"""`python -m rftconf`."""

# nothing else may be imported before the path is safe: `-m` begins it with the working directory
from rftconf.base.import_path import leave_out_working_directory

if __name__ == "__main__":
    leave_out_working_directory()
    from rftconf.cli.app import main

    main()
