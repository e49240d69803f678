"""The list of pages under /settings/."""

from django.urls import path

from dashboard import people
from dashboard import people_account as account
from dashboard import people_teams as teams
from dashboard import people_tokens as tokens

urlpatterns = [
    path("", account.account, name="settings"),
    path("password/", account.ChangePassword.as_view(), name="password_change"),
    path("password/<uidb64>/<token>/", account.SetPassword.as_view(), name="password_set"),
    path("teams/", teams.team_list, name="teams"),
    path("teams/<int:team_id>/", teams.team_page, name="team"),
    path("teams/<int:team_id>/rename/", teams.rename, name="team_rename"),
    path("teams/<int:team_id>/members/", teams.add_member, name="member_add"),
    path("teams/<int:team_id>/members/<int:user_id>/role/", teams.change_role, name="member_role"),
    path("teams/<int:team_id>/members/<int:user_id>/remove/", teams.remove_member, name="member_remove"),
    path("teams/<int:team_id>/tokens/new/", tokens.make_token, name="token_new"),
    path("teams/<int:team_id>/tokens/<int:token_id>/revoke/", tokens.revoke, name="token_revoke"),
    path("people/", people.person_list, name="people"),
    path("people/<int:user_id>/", people.person_page, name="person"),
    path("people/<int:user_id>/link/", people.make_link, name="person_link"),
    path("people/<int:user_id>/deactivate/", people.deactivate, name="person_deactivate"),
    path("people/<int:user_id>/activate/", people.activate, name="person_activate"),
    path("audit/", people.audit, name="audit"),
]
