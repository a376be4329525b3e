"""Views of the verbs: tables, pages, a program beside its code."""
