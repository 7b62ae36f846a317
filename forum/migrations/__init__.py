"""Changes of the SQL schema."""
