"""The JSON API for programs, at `/api/v1`. docs/api.md describes it for authors of programs.

The API has the same queries, services, limits and permissions as the pages, and never uses cookies.
"""
