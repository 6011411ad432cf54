"""Refusals of nightly runs and of their history."""

from __future__ import annotations

from models.checks.check import Check


def _refusal(code: str, sentence: str, remedy: str) -> Check:
    return Check(code, "error", sentence, remedy)


NIGHTLY_REFUSALS = (
    _refusal("nightly_config_unreadable", "The nightly file cannot be read.", "give a YAML file"),
    _refusal(
        "nightly_config_unknown_key",
        "The nightly file has an unknown key; the nearest known one is named.",
        "remove or rename it",
    ),
    _refusal(
        "nightly_config_invalid",
        "A key of the nightly file is missing or has a value of the wrong kind.",
        "give a value of the documented kind",
    ),
    _refusal(
        "input_command_failed",
        "The command that prints the snapshot failed, took too long or printed nothing.",
        "run the command by hand as the same user",
    ),
    _refusal(
        "history_variable",
        "The history's URL names a variable that the environment does not have.",
        "set the variable",
    ),
    _refusal(
        "history_no_folder",
        "A folder to bring into the history holds no night.",
        "give a dated folder that `gangplan nightly` wrote, or its output folder",
    ),
    _refusal(
        "history_url", "The history's URL is none, or of another kind of database.", "correct it"
    ),
    _refusal(
        "history_no_driver",
        "The driver of the database is not installed.",
        "install the extra named",
    ),
    _refusal("history_empty", "There is no history yet.", "run `gangplan nightly` first"),
    _refusal(
        "history_no_night", "The history does not hold this night.", "choose one that is listed"
    ),
    _refusal(
        "history_newer",
        "The history was written by a newer version.",
        "use that version or a newer one",
    ),
    _refusal(
        "history_locked",
        "Another process holds the database.",
        "wait until the other run has ended",
    ),
    _refusal("history_read_only", "The database cannot be written.", "give write access to it"),
    _refusal("history_full", "The disk of the database is full.", "free space"),
    _refusal(
        "history_corrupt",
        "The file is no SQLite database, or it is damaged.",
        "restore it, or rebuild it with `gangplan history --import FOLDER...`",
    ),
    _refusal("history_password", "The server refuses user or password.", "correct the URL"),
    _refusal("history_no_database", "The server has no such database or role.", "create it"),
    _refusal("history_no_schema", "The schema of the URL does not exist.", "create it"),
    _refusal("history_no_right", "The user may not use the tables.", "grant the rights"),
    _refusal(
        "history_server_down", "The server cannot be reached.", "start it, or correct the URL"
    ),
    _refusal(
        "history_cannot_open",
        "The database file cannot be opened or created.",
        "create its folder and give access, or correct the path",
    ),
    _refusal("history_disk", "The disk failed under the database.", "check the disk"),
    _refusal("history_failed", "The database failed in another way.", "read the message"),
)
"""These end a run with exit code 3, or are told beside a night that is whole."""
