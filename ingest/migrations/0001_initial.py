import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


# Partitioned by range of job_id, whose numbers rise with time: retention drops whole ranges, and the key needs no time.
MAKE_EVENTS = """
    CREATE TABLE ingest_event (
        job_id bigint NOT NULL,
        id uuid NOT NULL,
        attempt integer NOT NULL,
        rank integer NOT NULL,
        seq integer,
        type smallint NOT NULL,
        ts bigint NOT NULL,
        received_at bigint NOT NULL,
        sent_at bigint,
        phase text,
        duration bigint,
        body jsonb,
        PRIMARY KEY (job_id, id)
    ) PARTITION BY RANGE (job_id)"""


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=255)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('id_conflicts', models.BigIntegerField(default=0)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='jobs', to='accounts.team')),
            ],
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(MAKE_EVENTS, 'DROP TABLE ingest_event')],
            state_operations=[
                migrations.CreateModel(
                    name='Event',
                    fields=[
                        ('pk', models.CompositePrimaryKey('job_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                        ('id', models.UUIDField()),
                        ('attempt', models.IntegerField()),
                        ('rank', models.IntegerField()),
                        ('seq', models.IntegerField(null=True)),
                        ('type', models.SmallIntegerField(choices=[(1, 'attempt_start'), (2, 'phase_start'), (3, 'phase_end'), (4, 'phase'), (5, 'checkpoint'), (6, 'checkpoint_loaded'), (7, 'compile'), (8, 'heartbeat'), (9, 'failure'), (10, 'attempt_end')])),
                        ('ts', models.BigIntegerField(help_text='µs since 1970, UTC')),
                        ('received_at', models.BigIntegerField(help_text='µs since 1970, UTC')),
                        ('sent_at', models.BigIntegerField(help_text="the sender's clock at sending, if it told it", null=True)),
                        ('phase', models.TextField(null=True)),
                        ('duration', models.BigIntegerField(help_text='µs', null=True)),
                        ('body', models.JSONField(help_text='the further fields of its type and its attrs', null=True)),
                        ('job', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, to='ingest.job')),
                    ],
                ),
            ],
        ),
        migrations.CreateModel(
            name='Mark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempt', models.IntegerField()),
                ('made_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('job', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, to='ingest.job')),
            ],
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.UniqueConstraint(fields=('team', 'name'), name='ingest_job_name'),
        ),
    ]
