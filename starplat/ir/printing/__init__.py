"""The intermediate form as text for readers."""
