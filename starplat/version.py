"""The version of the package, which emitted programs, tables of measurements and ranks also carry."""

__version__ = "0.1.0"
