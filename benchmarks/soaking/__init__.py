"""The parts of the soak: people, what they were told, what is killed, and the comparison."""
