"""The command line in the process of the test."""

import sys

import pytest

import pacer_launcher


@pytest.fixture
def command(monkeypatch, capsys):
    """The command in this process: exit code and everything it said."""
    monkeypatch.setattr(pacer_launcher, "answer_signals", lambda lasting: None)  # they are those of the tests

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pacer", *map(str, arguments)])
        code, said = 0, ""
        try:
            pacer_launcher.main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1 if end.code else 0
            said = end.code if isinstance(end.code, str) else ""
        captured = capsys.readouterr()
        return code, captured.out + captured.err + said

    return run
