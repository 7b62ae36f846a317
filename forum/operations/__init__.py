"""Running a site: supervision, backups, moving, health, repair, demo, imports and the worker."""
