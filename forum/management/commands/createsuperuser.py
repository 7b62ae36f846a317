"""manage.py createsuperuser: Django's command, with the rules for names and passwords of sign-up.

Unlike at sign-up, names of roles such as "admin" are allowed.
"""

import getpass
import os
from typing import Any

from django.contrib.auth.management.commands.createsuperuser import Command as Base
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management import CommandError
from django.db import transaction
from django.utils.text import capfirst

from forum.actions import renames
from forum.errors import Invalid
from forum.models import User


class Command(Base):
    """Creates a superuser, whose votes count at once.

    Asks its own questions in a terminal, because Django's offer to bypass the rules for passwords.
    """

    def handle(self, *args: Any, **options: Any) -> None:
        """Create a superuser. Raises CommandError if the name or password isn't allowed."""
        is_terminal = options["interactive"] and self.stdin.isatty()
        if is_terminal:
            options["interactive"] = False
            for field in (User.USERNAME_FIELD, *User.REQUIRED_FIELDS):
                options[field] = self._ask(field) if options[field] is None else options[field]
        name = options["username"] or os.environ.get("DJANGO_SUPERUSER_USERNAME", "")
        email = options["email"] or os.environ.get("DJANGO_SUPERUSER_EMAIL", "")
        if name and (problem := _name_problem(name)):
            raise CommandError(problem)
        person = User(username=name, email=email)
        password = os.environ.get("DJANGO_SUPERUSER_PASSWORD")
        if is_terminal:
            password = self._ask_password(person)
        elif password and (problem := _password_problem(password, person)):
            raise CommandError(problem)
        with transaction.atomic():
            super().handle(*args, **options)
            for made in User.objects.filter(username=name):
                made.counts_at_once = True
                if is_terminal:
                    made.set_password(password)
                made.save()

    def _ask(self, name: str) -> str:
        field: Any = User._meta.get_field(name)
        while True:
            given = self.get_input_data(field, f"{capfirst(field.verbose_name)}: ")
            problem = _name_problem(given) if given and name == User.USERNAME_FIELD else ""
            if problem:
                self.stderr.write(f"Error: {problem}")
            elif given is not None:
                return str(given)

    def _ask_password(self, person: User) -> str:
        while True:
            password = getpass.getpass()
            if getpass.getpass("Password (again): ") != password:
                self.stderr.write("Error: Your passwords didn't match.")
            elif problem := _password_problem(password, person):
                self.stderr.write(f"Error: {problem}")
            else:
                return password


def _name_problem(name: str) -> str:
    """Return why a user name isn't allowed; "" if it is allowed."""
    if User.objects.filter(username__iexact=name).exists():
        return "Someone already has this name. Upper and lower case count as the same."
    try:
        renames.require_free(name, may_be_official=True)
    except Invalid as error:
        return str(error)
    return ""


def _password_problem(password: str, person: User) -> str:
    """Return why a password isn't allowed; "" if it is allowed."""
    try:
        validate_password(password, person)
    except ValidationError as error:
        return " ".join(error.messages)
    return ""
