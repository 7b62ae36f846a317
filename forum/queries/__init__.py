"""What pages ask of SQL and of voting; nothing here writes to SQL."""
