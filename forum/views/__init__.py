"""One module per page or action; a view parses, calls one service or query, and renders."""
