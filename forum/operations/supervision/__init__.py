"""Starting the site: its environment, its processes, one claim on its data."""
