"""The one way from the forum to voting: the service, and SQL rows as voting's types."""
