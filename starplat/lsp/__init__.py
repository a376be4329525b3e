"""`starplat lsp`: a server of the Language Server Protocol, for every editor that speaks it."""
