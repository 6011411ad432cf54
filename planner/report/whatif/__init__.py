"""Scenarios beside their base: the document, what decides between them, tables and charts."""
