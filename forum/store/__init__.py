"""The one door to Redis: the voting service, SQL rows as voting's types, and the outbox."""
