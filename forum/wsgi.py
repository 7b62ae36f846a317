"""The WSGI application for gunicorn and `runserver`."""

import os

import django

from forum.web.handler import Handler

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "forum.settings")
django.setup(set_prefix=False)
application = Handler()
