"""Every setting of the site. Values come from the environment (see the README's table)."""

from pathlib import Path

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from forum import environment
from voting.sockets import socket_url
from voting.types import Formula, Rules

BASE_DIR = Path(__file__).resolve().parent.parent
FORUM_DATA = Path(environment.text("FORUM_DATA", str(BASE_DIR / "var"))).absolute()
PRODUCTION = environment.flag("PRODUCTION")
DEBUG = environment.flag("DEBUG")
if PRODUCTION:
    environment.refuse("DEBUG", DEBUG)
    environment.require("SECRET_KEY", "SITE_URL", "EMAIL_URL")
SECRET_KEY = environment.secret_key(FORUM_DATA)

HOST = environment.text("HOST", "127.0.0.1")
PORT = environment.whole("PORT", 8000, 1, 65_535)
SITE_NAME = environment.text("SITE_NAME", "Rostra")
SITE_URL = environment.url(
    "SITE_URL", f"http://localhost:{PORT}", ("https",) if PRODUCTION else ("http", "https")
).rstrip("/")
ALLOWED_HOSTS = environment.words(
    "ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]", environment.host_of(SITE_URL)]
)
CSRF_TRUSTED_ORIGINS = [SITE_URL]

# Redis: voting's own database, and the cache beside it.

VALKEY_DIR = FORUM_DATA / "valkey"
VALKEY_FSYNC = environment.choice("VALKEY_FSYNC", "everysec", ("everysec", "always"))
EMBEDDED = not environment.text("REDIS_URL")
REDIS_SCHEMES = ("redis", "rediss", "unix")
REDIS_URL = environment.url("REDIS_URL", socket_url(VALKEY_DIR, 0), REDIS_SCHEMES)
CACHE_URL = environment.url(
    "CACHE_URL", socket_url(VALKEY_DIR, 1) if EMBEDDED else REDIS_URL, REDIS_SCHEMES
)
CACHES = {
    "default": {
        "BACKEND": "forum.steady_cache.SteadyCache",
        "LOCATION": CACHE_URL,
        "KEY_PREFIX": "cache",
        "TIMEOUT": 300,
        "OPTIONS": {
            "CONNECTION_POOL_CLASS": "voting.pool.GuardedPool",
            "IGNORE_EXCEPTIONS": True,
        },
    }
}
DJANGO_REDIS_IGNORE_EXCEPTIONS = True

PAGE_SIZE = environment.whole("PAGE_SIZE", 25, 1, 200)
VOTING_RULES = Rules(
    window=environment.whole("VOTING_WINDOW", 604_800, 60, 10 * 366 * 86_400),
    weight=86_400 / environment.whole("VOTES_PER_DAY", 200, 1, 86_400),
    formula=Formula(environment.choice("VOTING_FORMULA", "linear", tuple(Formula))),
    page_size=PAGE_SIZE,
    mix_seconds=environment.whole("MIX_SECONDS", 60, 1, 3_600),
)

# SQL

DATABASES = {"default": environment.database("DATABASE_URL", FORUM_DATA / "forum.sqlite3")}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 5,
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16000"
        ),
    }
DATABASES["default"] |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"

# Applications

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
    "csp",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "forum.middleware.ErrorsMiddleware",
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
                "forum.context.site",
            ],
        },
    }
]

# People

AUTH_USER_MODEL = "forum.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
LOGIN_REDIRECT_URL = "/"
LOGIN_URL = "account_login"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*" if PRODUCTION else "email", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if PRODUCTION else "optional"
ACCOUNT_USERNAME_BLACKLIST = ["admin", "root", "rostra", "moderator", "deleted", "anonymous"]
ACCOUNT_USERNAME_MIN_LENGTH = 2
ACCOUNT_ADAPTER = "forum.adapters.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "forum.forms.accounts.LoginForm",
    "signup": "forum.forms.accounts.SignupForm",
}
MFA_TOTP_ISSUER = SITE_NAME
SESSION_ENGINE = "django.contrib.sessions.backends.cached_db"
SESSION_COOKIE_AGE = 30 * 86_400
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"
vars().update(environment.mail("EMAIL_URL"))
DEFAULT_FROM_EMAIL = environment.text("DEFAULT_FROM_EMAIL", f"{SITE_NAME} <noreply@localhost>")

# Languages and time

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale", BASE_DIR / "locale" / "libraries"]
"""The site's own sentences, and those that the libraries' translations lack."""
FORMAT_MODULE_PATH = ["forum.formats"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# Static files

STATIC_URL = "/static/"
STATIC_ROOT = FORUM_DATA / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# What goes wrong, on the terminal that runs the site

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"terminal": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["terminal"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": [], "level": "WARNING"},
        "django.request": {"level": "ERROR"},
    },
}

# Safety

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "forum.views.errors.stale_form"
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_HSTS_SECONDS = 31_536_000 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = PRODUCTION
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PRODUCTION else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "manifest-src": [SELF],
    }
}
PERMISSIONS_POLICY: dict[str, list[str]] = {
    name: [] for name in ("camera", "geolocation", "microphone", "payment", "usb")
}
