"""Django's settings for the site.

All differences between sites come from environment variables, which the README lists.
`forum.config.environment` reads and checks these variables.
"""

from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from forum.config import browser_policies, environment, error_reports, logs, openid, rate_limits
from forum.config.data_directory import make_private
from forum.config.environment import host_of
from forum.config.title_rules import TitleRules
from voting.embedded.sockets import socket_url
from voting.types import Formula, Rules

# --- The site ---

BASE_DIR = Path(__file__).resolve().parent.parent
FORUM_DATA = Path(environment.text("FORUM_DATA", str(BASE_DIR / "var"))).absolute()
PRODUCTION = environment.flag("PRODUCTION")
DEBUG = environment.flag("DEBUG")
if PRODUCTION:
    environment.refuse_unsafe(DEBUG)
SECRET_KEY = environment.secret_key(FORUM_DATA)
SECRET_KEY_FALLBACKS = environment.words("SECRET_KEY_FALLBACKS", [])

READ_ONLY = environment.flag("READ_ONLY")
"""Whether web and admin refuse all writes. The worker and commands ignore this setting."""

HOST = environment.text("HOST", "127.0.0.1")
PORT = environment.whole("PORT", 8000, 1, 65_535)
WEB_CONCURRENCY = environment.whole("WEB_CONCURRENCY", 2, 1, 256)
SITE_NAME = environment.text("SITE_NAME", "Rostra")
schemes = ("https",) if PRODUCTION else ("http", "https")
SITE_URL = environment.site_url("SITE_URL", f"http://localhost:{PORT}", schemes)
ALLOWED_HOSTS = environment.allowed_hosts(
    "ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]", host_of(SITE_URL)]
)
CSRF_TRUSTED_ORIGINS = [SITE_URL]

# --- Redis: one database for voting, one for the cache and the sessions ---

VALKEY_DIR = FORUM_DATA / "valkey"
VALKEY_FSYNC = environment.choice("VALKEY_FSYNC", "everysec", ("everysec", "always"))
EMBEDDED = not environment.text("REDIS_URL")  # `manage.py up` then runs a Valkey of its own
REDIS_URL = environment.redis_servers("REDIS_URL", socket_url(VALKEY_DIR, 0), "CACHE_URL")
CACHE_URL = environment.redis_url("CACHE_URL", socket_url(VALKEY_DIR, 1) if EMBEDDED else REDIS_URL)
VOTING_WAIT_REPLICAS = environment.whole("VOTING_WAIT_REPLICAS", 0, 0, 5)
CACHES = {
    "default": {
        "BACKEND": "forum.identity.limits_cache.LimitsCache",
        "LOCATION": [CACHE_URL],  # in a list, because django-redis splits a string at commas
        "KEY_PREFIX": "cache",
        "TIMEOUT": 300,
        "OPTIONS": {
            "CONNECTION_POOL_CLASS": "voting.redis.pool.GuardedPool",
            "REDIS_CLIENT_CLASS": "voting.redis.pool.DirectRedis",
            "IGNORE_EXCEPTIONS": True,  # without Redis, the cache acts as if empty
        },
    }
}

# --- Voting, listings and limits ---

GUEST_PAGE_SECONDS = 1.0
"""After a page changes, guests may still see its old version for this many seconds."""
PAGE_SIZE = environment.whole("PAGE_SIZE", 25, 1, 200)
HIDE_SCORES_HOURS = environment.whole("HIDE_SCORES_HOURS", 0, 0, 48)
"""The scores of posts and comments are hidden for this many hours; 0 to hide none."""
VOTES_PER_DAY = environment.votes_per_day()
VOTING_RULES = Rules(
    window=environment.whole("VOTING_WINDOW", 604_800, 60, 10 * 366 * 86_400),
    weight=86_400 / (VOTES_PER_DAY or environment.FIRST_VOTES_PER_DAY),
    formula=Formula(environment.choice("VOTING_FORMULA", "linear", tuple(Formula))),
    page_size=PAGE_SIZE,
    mix_seconds=environment.whole("MIX_SECONDS", 60, 1, 3_600),
    answer_up=environment.whole("ANSWER_UP", 2, 0, 1_000),
    answer_down=environment.whole("ANSWER_DOWN", 1, 0, 1_000),
)

DELETED_TEXT_DAYS = environment.whole("DELETED_TEXT_DAYS", 90, 0, 36_500)
"""How many days deleted texts and earlier versions of texts are stored; 0: without end."""
LIMITS, LIMITS_NEW = rate_limits.everybody(), rate_limits.newcomers()
NEW_PERSON = environment.whole("NEW_PERSON", 86_400, 0, 366 * 86_400)
"""How many seconds after sign-up an account is new. New accounts have the limits in LIMITS_NEW."""
NEW_VOTES = environment.whole("NEW_VOTES", 3, 0, 1_000)
"""How many votes of new accounts count on a post or comment at a time; 0: all of them."""
SHARED_NETWORKS = environment.flag("SHARED_NETWORKS")
"""Whether several new accounts of one network count on a post or comment, as for a class."""
VOTES_A_DAY = environment.whole("VOTES_A_DAY", 200, 0, 10_000)
"""How many votes a person may cast in 24 hours; 0: only LIMIT_VOTE counts."""
VOTES_ON_AUTHOR = environment.whole("VOTES_ON_AUTHOR", 100, 0, 10_000)
"""How many of these may be on posts and comments of one author; 0: any number."""
DOWN_KARMA = environment.whole("DOWN_KARMA", 0, 0, 1_000_000)
"""How much karma a down vote needs; 0: none."""
DOWN_A_DAY = environment.whole("DOWN_A_DAY", 0, 0, 10_000)
"""How many down votes a person may cast in 24 hours; 0: any number."""
DOWN_ON_AUTHOR = environment.whole("DOWN_ON_AUTHOR", 0, 0, 10_000)
"""How many of these may be on posts and comments of one author; 0: any number."""
DOWN_TRUST_KARMA = environment.whole("DOWN_TRUST_KARMA", 0, 0, 1_000_000)
"""The karma from which DOWN_A_DAY and DOWN_ON_AUTHOR don't apply; 0: they apply to everybody."""
ALARM_NEW_VOTES = environment.whole("ALARM_NEW_VOTES", 10, 0, 1_000)
"""More votes of new accounts than this on a post or comment within an hour flag it; 0: never."""
SAME_TEXT = environment.whole("SAME_TEXT", 600, 0, 86_400)
"""For this many seconds, a person can't send the same post or comment again."""
FETCH_TITLES, TITLE_RULES = environment.flag("FETCH_TITLES"), TitleRules()

# --- SQL database ---

DATABASES = {"default": environment.database("DATABASE_URL", FORUM_DATA / "forum.sqlite3")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A relative path means the same file from whatever directory a command is started.
    DATABASES["default"]["NAME"] = str(BASE_DIR / DATABASES["default"]["NAME"])
    make_private(Path(DATABASES["default"]["NAME"]))  # SQLite's other files have the same mode
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 5,
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16000"
        ),
    }
DATABASES["default"] = {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True} | DATABASES["default"]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"

# --- Applications, middleware and templates ---

INSTALLED_APPS = [
    "forum.apps.ForumConfig",
    "voting.apps.VotingConfig",
    "forum.apps.ForumAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "csp",
]
MIDDLEWARE = [
    "forum.config.request_log.observed",  # first: it logs and measures all other middleware, too
    "forum.web.programs.program_middleware",
    # Above compression, so that a cached page is already compressed; above sessions, so that a
    # guest's page needs none.
    "forum.web.guest_pages.guest_page_middleware",
    "forum.web.compression.compressing",
    "forum.identity.activity.recording",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # A person's language is in the session, and all error pages below are in that language.
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "forum.identity.sessions.private",
    "forum.web.methods.MethodsMiddleware",  # before CSRF: a wrong method is 405, not 403
    "django.middleware.csrf.CsrfViewMiddleware",
    "forum.identity.authentication.RefusingAuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "forum.web.middleware.PolicyMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "forum.accounts.openid.providers_only",
    "forum.web.middleware.ErrorsMiddleware",  # last: its error pages pass through all others
]
ROOT_URLCONF = "forum.urls"
WSGI_APPLICATION = "forum.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "forum.web.context_processors.site",
            ],
        },
    }
]

# --- Accounts and sessions ---

AUTH_USER_MODEL = "forum.User"
AUTHENTICATION_BACKENDS = ["forum.accounts.backends.LoginBackend"]
SHORTEST_PASSWORD = 10 if PRODUCTION else 8
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": SHORTEST_PASSWORD},
    },
    *(
        {"NAME": name}
        for name in (
            "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
            "forum.identity.password_rules.CommonPasswordValidator",
            "forum.identity.password_rules.RepeatedCharactersValidator",
            "forum.identity.password_rules.SiteNameValidator",
            "forum.identity.published_passwords.PublishedPasswordValidator",
        )
    ),
]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
LOGIN_REDIRECT_URL = ACCOUNT_LOGOUT_REDIRECT_URL = "/"
LOGIN_URL = "account_login"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*" if PRODUCTION else "email", "password1*"]
ACCOUNT_REAUTHENTICATION_REQUIRED = ACCOUNT_EMAIL_NOTIFICATIONS = True
MFA_ALLOW_UNVERIFIED_EMAIL = True  # see forum/accounts/second_factors.py
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if PRODUCTION else "optional"
ACCOUNT_PREVENT_ENUMERATION = "strict" if PRODUCTION else True  # see SignupForm
ACCOUNT_USERNAME_MIN_LENGTH = 2
PASSWORD_RESET_TIMEOUT = 3_600  # seconds
ACCOUNT_ADAPTER = "forum.accounts.adapter.AccountAdapter"
MFA_ADAPTER = "forum.accounts.adapter.FactorAdapter"
ACCOUNT_RATE_LIMITS = rate_limits.ACCOUNTS
ALLAUTH_TRUSTED_PROXY_COUNT = environment.whole("TRUSTED_PROXIES", int(PRODUCTION), 0, 10)
"""How many proxies in front of the site add an address to the end of X-Forwarded-For.

Only the addresses that these proxies add are trusted, because clients can forge the others.
"""
ACCOUNT_FORMS = {
    "login": "forum.accounts.forms.LoginForm",
    "signup": "forum.accounts.forms.SignupForm",
    "add_email": "forum.accounts.forms.AddEmailForm",
    "reauthenticate": "forum.accounts.forms.ReauthenticateForm",
    "change_password": "forum.accounts.forms.ChangePasswordForm",
    "reset_password": "forum.accounts.forms.ResetPasswordForm",
    "set_password": "forum.accounts.forms.SetPasswordForm",
    "reset_password_from_key": "forum.accounts.forms.ResetPasswordKeyForm",
}
MFA_TOTP_ISSUER = SITE_NAME
MFA_FORMS = {
    "authenticate": "forum.accounts.forms.FactorForm",
    "reauthenticate": "forum.accounts.forms.FactorAgainForm",
    "activate_totp": "forum.accounts.forms.ActivateAppForm",
    "add_webauthn": "forum.accounts.passkeys.AddPasskeyForm",
    "edit_webauthn": "forum.accounts.passkeys.RenamePasskeyForm",
    "login_webauthn": "forum.accounts.passkeys.LoginPasskeyForm",
    "authenticate_webauthn": "forum.accounts.passkeys.FactorPasskeyForm",
    "reauthenticate_webauthn": "forum.accounts.passkeys.AgainPasskeyForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_RATE_LIMITS = {"webauthn_login": "60/m/ip"}  # two requests a log-in; many share an address
OIDC_APPS = openid.providers("OIDC_PROVIDERS", schemes)
OIDC_ONLY = environment.flag("OIDC_ONLY")
"""Whether people log in and sign up with OpenID Connect providers only."""
if OIDC_ONLY and not OIDC_APPS:
    raise ImproperlyConfigured("OIDC_ONLY needs OIDC_PROVIDERS. Otherwise nobody could log in.")
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {
    "openid_connect": {"APPS": OIDC_APPS, "OAUTH_PKCE_ENABLED": True}
}
SOCIALACCOUNT_ADAPTER = "forum.accounts.openid.SocialAdapter"
SOCIALACCOUNT_FORMS = {"signup": "forum.accounts.openid.SocialSignupForm"}
SOCIALACCOUNT_AUTO_SIGNUP = False  # people choose their names, which never change
SESSION_ENGINE = "forum.identity.sessions"
SESSION_COOKIE_AGE = 30 * 86_400
MESSAGE_STORAGE = "forum.web.message_storage.MessageStorage"

# --- Mail ---

vars().update(environment.mail("EMAIL_URL"))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = environment.sender("DEFAULT_FROM_EMAIL", SITE_NAME, host_of(SITE_URL))

# --- Languages and time ---

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale", BASE_DIR / "locale" / "libraries"]
"""Translations of the site's texts, and of texts in libraries that lack a translation."""
LANGUAGE_COOKIE_AGE = 365 * 86_400
FORMAT_MODULE_PATH = ["forum.config.formats"]
USE_I18N = USE_TZ = True
TIME_ZONE = "UTC"

# --- Static files ---

STATIC_URL = "/static/"
STATIC_ROOT = FORUM_DATA / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_ROOT = BASE_DIR / "static" / "root"  # served at /: robots.txt, favicon.ico
WHITENOISE_ALLOW_ALL_ORIGINS = False  # other sites need none of the files
WHITENOISE_ADD_HEADERS_FUNCTION = browser_policies.protect_file
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "forum.web.static_storage.StaticStorage"},
}

# --- Logs and metrics ---

LOGGING_CONFIG = "forum.config.logs.configure"
SENTRY_DSN = environment.sentry_dsn("SENTRY_DSN")
LOGGING = logs.config(json=PRODUCTION, reporters=error_reports.reporters(SENTRY_DSN))
LOG_REQUESTS = environment.flag("LOG_REQUESTS")
METRICS_TOKEN = environment.text("METRICS_TOKEN")

# --- Security ---

HOST_COOKIE, SECURE_COOKIE = ("__Host-", "__Secure-") if PRODUCTION else ("", "")
"""Prefixes of cookies' names. With them, browsers refuse cookies that other hosts or HTTP set.

A cookie for a part of the site needs `__Secure-`.
"""
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"{HOST_COOKIE}sessionid", f"{HOST_COOKIE}csrftoken"
LANGUAGE_COOKIE_NAME = f"{HOST_COOKIE}django_language"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = PRODUCTION
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "forum.views.errors.stale_form"
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
SECURE_HSTS_SECONDS = 31_536_000 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = environment.flag("HSTS_SUBDOMAINS")
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
"""Checks that are turned off. They ask for HSTS on subdomains and in preload lists.

The owner of the domain decides about that.
"""
SECURITY_CONTACTS = environment.contacts("SECURITY_CONTACT")
"""The contacts for reports of security problems, as URLs. May be empty."""
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PRODUCTION else None
CONTENT_SECURITY_POLICY = browser_policies.content(openid.origins(OIDC_APPS))
PERMISSIONS_POLICY = browser_policies.PERMISSIONS
