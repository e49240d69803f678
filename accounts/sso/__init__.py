"""Single sign-on: a login at somebody else's directory, by OpenID Connect."""
