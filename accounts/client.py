"""Where a request comes from."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest


def address(request: HttpRequest) -> str:
    """The caller's IP address; what a proxy says of it counts only if ETTDASH_PROXIES of them are trusted."""
    peer = _plain(request.META.get("REMOTE_ADDR", ""))
    hops = request.headers.get("X-Forwarded-For", "").split(",")
    proxies: int = settings.ETTDASH_PROXIES
    # Each proxy adds its own caller on the right: what stands further left anybody may have written.
    told = _plain(hops[-proxies]) if 0 < proxies <= len(hops) else ""
    return told or peer


def _plain(text: str) -> str:
    """An address in its shortest form, IPv4 as such; empty where it is none."""
    try:
        found = ip_address(text.strip().partition("%")[0])
    except ValueError:
        return ""
    return str(getattr(found, "ipv4_mapped", None) or found)
