import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ettdash.settings")
django.setup(set_prefix=False)

from ettdash.request import Handler  # noqa: E402

application = Handler()
