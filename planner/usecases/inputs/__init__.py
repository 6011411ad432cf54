"""Files, uploads and settings as typed values."""
