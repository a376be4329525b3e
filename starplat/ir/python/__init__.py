"""Programs as Python text: what the interpreter and the host's evaluator compile."""
