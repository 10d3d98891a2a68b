"""`python -m pacer` is the command line."""

from pacer_launcher import main

if __name__ == "__main__":
    main()
