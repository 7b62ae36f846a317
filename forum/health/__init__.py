"""How the whole site is doing: what a person on call, or a machine, asks of it."""
