"""The parts of the soak: people, their records, kills and the comparison."""
