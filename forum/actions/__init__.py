"""Use cases: what people do, one module for each noun."""
