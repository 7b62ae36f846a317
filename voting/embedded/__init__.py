"""The embedded Valkey: started, watched, kept on disk and mended; needs nothing else of voting."""
