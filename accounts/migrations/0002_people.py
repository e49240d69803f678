import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='membership',
            name='origin',
            field=models.CharField(choices=[('hand', 'Hand'), ('sso', 'Sso')], default='hand', max_length=8),
        ),
        migrations.AddField(
            model_name='token',
            name='created_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='tokens_made', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='token',
            name='form_key',
            field=models.UUIDField(blank=True, editable=False, null=True, unique=True),
        ),
        migrations.AddField(
            model_name='user',
            name='is_fleet_viewer',
            field=models.BooleanField(default=False, help_text='Sees every team, and changes nothing.'),
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('actor_name', models.CharField(max_length=150)),
                ('action', models.CharField(choices=[('team_made', 'made team'), ('team_renamed', 'renamed team'), ('member_added', 'added member'), ('role_changed', 'changed role of'), ('member_removed', 'removed member'), ('token_made', 'made token'), ('token_revoked', 'revoked token'), ('person_made', 'made person'), ('person_changed', 'changed person'), ('link_made', 'made password link for'), ('password_set', 'set password of')], max_length=32)),
                ('subject', models.CharField(max_length=255)),
                ('detail', models.CharField(blank=True, max_length=1024)),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='audit', to='accounts.team')),
            ],
            options={
                'ordering': ['-at', '-pk'],
                'indexes': [models.Index(fields=['-at', '-id'], name='accounts_audit_latest'), models.Index(fields=['team', '-at', '-id'], name='accounts_audit_of_team')],
            },
        ),
    ]
