"""How numbers are written: tenths, thin spaces, real minus signs, and a dash where there is nothing."""

from datetime import UTC, datetime

NONE = "—"
THIN = "\u202f"  # narrow no-break space
MINUS = "\u2212"
SECOND = 1_000_000
HOUR = 3600 * SECOND


def percent(tenths: int | None) -> str:
    """`87.4 %` of 874 tenths."""
    return NONE if tenths is None else f"{tenths / 10:.1f}{THIN}%"


def points(tenths: int | None) -> str:
    """`−2.1 pt` of −21 tenths."""
    if tenths is None:
        return NONE
    sign = "+" if tenths > 0 else MINUS if tenths < 0 else ""
    return f"{sign}{abs(tenths) / 10:.1f}{THIN}pt"


def whole(number: int) -> str:
    """`12 345` with thin separators."""
    return f"{number:,}".replace(",", THIN)


def hours(micros: int | None) -> str:
    """Hours of a sum of µs: whole ones, with a decimal below ten."""
    if micros is None:
        return NONE
    value = micros / HOUR
    return f"{value:.1f}" if 0 < value < 9.95 else whole(round(value))


def duration(micros: int) -> str:
    """`3 m 20 s`, `1.4 h` or `2.3 d`."""
    seconds = max(micros, 0) // SECOND
    if seconds < 60:
        return f"{seconds}{THIN}s"
    if seconds < 3600:
        minutes, rest = divmod(seconds, 60)
        return f"{minutes}{THIN}m {rest}{THIN}s" if rest and minutes < 10 else f"{minutes}{THIN}m"
    return f"{seconds / 3600:.1f}{THIN}h" if seconds < 48 * 3600 else f"{seconds / 86_400:.1f}{THIN}d"


def count(number: int, one: str, many: str = "") -> str:
    """`1 job`, `12 jobs`."""
    return f"{whole(number)} {one if number == 1 else many or one + 's'}"


def instant(micros: int) -> datetime:
    """µs since 1970 as a time in UTC."""
    return datetime.fromtimestamp(micros // SECOND, UTC)
