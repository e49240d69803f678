"""All settings; variables start with ETTDASH_ and are described in docs/configuration.md."""

import os
import secrets
from datetime import timedelta
from pathlib import Path
from urllib.parse import unquote, urlsplit

from celery.schedules import crontab
from django.core.exceptions import ImproperlyConfigured

from ettdash import probes, production, sso
from ettdash.env import database, env_bool, env_choice, env_int, env_list, env_secret
from ettdash.launcher import services_file
from ettdash.telemetry import logs, masking

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("ETTDASH_DATA_DIR") or BASE_DIR / ".ettdash").expanduser().absolute()

# Where the two addresses are not given, the launcher's services.json has them.
_services = services_file.read(DATA_DIR) or {}
DATABASE_URL = env_secret("DATABASE_URL") or _services.get("database_url")
NOT_RUNNING = (
    ""
    if env_secret("DATABASE_URL") or services_file.running(DATA_DIR)
    else f"ettdash is not running in {DATA_DIR}: start it with `make up`, or set DATABASE_URL and REDIS_URL."
)

PRODUCTION = env_bool("ETTDASH_PRODUCTION")
_secret_key = env_secret("ETTDASH_SECRET_KEY") or _services.get("secret_key")
SECRET_KEY = _secret_key or secrets.token_urlsafe(50)
DEBUG = env_bool("ETTDASH_DEBUG")
_hosts = env_list("ETTDASH_HOSTS")
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *_hosts]
CSRF_TRUSTED_ORIGINS = env_list("ETTDASH_ORIGINS") or production.origins(_hosts if PRODUCTION else [])

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "axes",
    "django_htmx",
    "accounts",
    "ingest",
    "rollup",
    "dashboard",
]

MIDDLEWARE = [
    # First, so that nothing is answered without it.
    "ettdash.telemetry.requests.RequestTelemetry",
    "ettdash.probes.ProbesComeByAddress",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "ettdash.middleware.ContentSecurityPolicy",
    "ettdash.middleware.DatabaseAway",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "ettdash.urls"
WSGI_APPLICATION = "ettdash.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Port 1 answers nobody: without services a command fails at once, and manage.py says NOT_RUNNING.
DATABASES = {"default": database(DATABASE_URL or "postgresql://ettdash@127.0.0.1:1/ettdash")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
_redis_url = env_secret("REDIS_URL") or _services.get("redis_url")
REDIS_URL: str = _redis_url or "redis://127.0.0.1:1/0"

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    # Looks at no password: refuses whoever sent too many wrong ones.
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
CSRF_FAILURE_VIEW = "ettdash.errors.csrf_failure"
AXES_HANDLER = "accounts.throttle.Throttle"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=5)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"], "ip_address", "username"]
AXES_CLIENT_IP_CALLABLE = "accounts.throttle.origin"
AXES_USERNAME_CALLABLE = "accounts.throttle.name_key"
AXES_LOCKOUT_CALLABLE = "accounts.throttle.too_many_tries"
AXES_RESET_ON_SUCCESS = True
# Or a stranger who goes on guessing would keep a lock shut for ever.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_SENSITIVE_PARAMETERS = ["username"]
AXES_VERBOSE = False
# The tables are always there; who may come in by them, if anybody, the environment says.
ETTDASH_SSO = sso.directory()
SOCIALACCOUNT_ADAPTER = "accounts.sso.adapter.Adapter"
SOCIALACCOUNT_ONLY = True
ACCOUNT_EMAIL_VERIFICATION = "none"
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
# By a link: the CSP's form-action 'self' would stop a form that leads on to the provider.
SOCIALACCOUNT_LOGIN_ON_GET = True
SOCIALACCOUNT_REQUESTS_TIMEOUT = 5
# Strict would keep the cookie back where the browser returns from a provider on another site.
SESSION_COOKIE_SAMESITE = "Lax"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "fleet"
LOGOUT_REDIRECT_URL = "login"
# Each product beside another on one host keeps its own login. A browser takes a cookie named `__Host-` over
# https alone, and from nobody else under the same domain.
_prefix = "__Host-ettdash" if PRODUCTION else "ettdash"
SESSION_COOKIE_NAME = f"{_prefix}_session_{os.environ.get('ETTDASH_PORT', '8000')}"
CSRF_COOKIE_NAME = f"{_prefix}_csrf_{os.environ.get('ETTDASH_PORT', '8000')}"

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "ettdash.staticfiles.PlotlyFinder",
]
STORAGES = {
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

CELERY_BROKER_URL = REDIS_URL
CELERY_BEAT_SCHEDULER = "ettdash.beat:OneOfTwins"
CELERY_WORKER_CONCURRENCY = env_int("ETTDASH_WORKER_PROCESSES", 2, least=1)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A task held by a killed worker comes back after a minute, not after kombu's hour.
CELERY_VISIBILITY_TIMEOUT = 60
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 60, "unacked_restore_throttle": 1}
CELERY_BEAT_SCHEDULE = {
    # An expired tick is dropped: what it would have found, the next one finds.
    "refresh": {"task": "rollup.tasks.refresh_marked", "schedule": 1.0, "options": {"expires": 2}},
    "silence": {"task": "rollup.tasks.mark_silent", "schedule": 10.0, "options": {"expires": 10}},
    "sessions": {"task": "accounts.tasks.clear_sessions", "schedule": crontab(minute=23)},
}

LOGGING = logs.config(
    env_choice("ETTDASH_LOG_FORMAT", logs.FORMATS, "json"),
    env_choice("ETTDASH_LOG_LEVEL", logs.LEVELS, "info"),
)
masking.remember(
    SECRET_KEY,
    DATABASES["default"]["PASSWORD"],
    REDIS_URL,
    os.environ.get("ETTDASH_ADMIN_PASSWORD"),
    env_secret("ETTDASH_OIDC_CLIENT_SECRET"),
)

ETTDASH_RETENTION_DAYS = env_int("ETTDASH_RETENTION_DAYS", 90)
ETTDASH_LOST_AFTER_S = env_int("ETTDASH_LOST_AFTER_S", 900, least=1)
ETTDASH_HANG_AFTER_S = env_int("ETTDASH_HANG_AFTER_S", 600, least=1)
ETTDASH_ABANDONED_AFTER_S = env_int("ETTDASH_ABANDONED_AFTER_S", 604_800, least=1)
ETTDASH_RATE = env_int("ETTDASH_RATE", 200_000)
ETTDASH_PROXIES = env_int("ETTDASH_PROXIES", 0)

# Production speaks https, which a proxy ends; what health checks and scrapers ask stays plain.
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SECURE_REDIRECT_EXEMPT = [rf"^{path[1:]}$" for path in probes.PATHS]
SECURE_HSTS_SECONDS = env_int("ETTDASH_HSTS_S", 31_536_000) if PRODUCTION else 0
# Other hosts under the same domain, and the browsers' own lists, are not ours to decide about.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_AGE = 7 * 86_400 if PRODUCTION else 14 * 86_400
# Without a proxy that sets it, anybody could claim to have come by https.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ETTDASH_PROXIES else None

if _faults := production.faults(
    production.Values(
        production=PRODUCTION,
        debug=DEBUG,
        listen=os.environ.get("ETTDASH_LISTEN") or "127.0.0.1",
        secret_key=_secret_key,
        hosts=_hosts,
        origins=CSRF_TRUSTED_ORIGINS,
        database_url=DATABASE_URL,
        database_password=DATABASES["default"]["PASSWORD"],
        redis_url=_redis_url,
        redis_password=unquote(urlsplit(REDIS_URL).password or ""),
        admin_password=os.environ.get("ETTDASH_ADMIN_PASSWORD"),
    )
):
    raise ImproperlyConfigured("\n".join(_faults))
