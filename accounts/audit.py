"""Writing down who changed what, in the transaction that changes it."""

from accounts.models import AuditEntry, Team, User

COMMAND_LINE = "command line"


def record(
    actor: User | None,
    action: AuditEntry.Action,
    subject: str,
    *,
    team: Team | None = None,
    detail: str = "",
    door: str = COMMAND_LINE,
) -> None:
    """Keep one change; where no person made it, the door it came through stands for one."""
    AuditEntry.objects.create(
        actor=actor,
        actor_name=actor.get_username() if actor else door,
        team=team,
        action=action,
        subject=subject,
        detail=detail,
    )
