"""The use case of ``gangplan schedule``: when everything starts, and that loans are back in time."""
