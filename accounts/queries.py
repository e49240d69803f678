"""The SQL of knowing a caller."""

# Uses the unique index on digest.
BY_DIGEST = """
    SELECT id, team_id, scopes, last_used_at FROM accounts_token
     WHERE digest = %(digest)s AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > %(now)s)"""
