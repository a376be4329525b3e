"""What the verbs show: tables, pages, a program beside its code."""
