"""The verifier of the intermediate form."""
