import django.contrib.postgres.fields
import django.db.models.deletion
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('ingest', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Annotation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(default=uuid.uuid4, help_text='made by the sender: the same key twice is one annotation')),
                ('ts', models.DateTimeField(db_index=True)),
                ('title', models.CharField(max_length=256)),
                ('kind', models.CharField(choices=[('deploy', 'Deploy'), ('config', 'Config'), ('technique', 'Technique')], max_length=16)),
                ('model_names', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=256), default=list, help_text='none: the whole fleet', size=None)),
                ('link', models.CharField(default='', max_length=2048)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='accounts.team')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('team', 'key'), name='rollup_annotation_once')],
            },
        ),
        migrations.CreateModel(
            name='AttemptDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempt', models.IntegerField()),
                ('day', models.DateField()),
                ('model', models.TextField()),
                ('cluster', models.TextField()),
                ('tier', models.TextField()),
                ('workload', models.TextField()),
                ('gpus', models.IntegerField()),
                ('outcome', models.CharField(max_length=16)),
                ('category', models.CharField(max_length=16)),
                ('failure', models.BigIntegerField()),
                ('effective', models.BigIntegerField()),
                ('scheduling', models.BigIntegerField()),
                ('hardware_setup', models.BigIntegerField()),
                ('launcher_init', models.BigIntegerField()),
                ('pt2_compile', models.BigIntegerField()),
                ('checkpoint_blocking', models.BigIntegerField()),
                ('stalled', models.BigIntegerField()),
                ('unsaved', models.BigIntegerField()),
                ('downtime', models.BigIntegerField()),
                ('shutdown', models.BigIntegerField()),
                ('unaccounted', models.BigIntegerField()),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='ingest.job')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='accounts.team')),
            ],
            options={
                'indexes': [models.Index(models.F('day'), models.F('team'), name='rollup_attemptday_day')],
                'constraints': [models.UniqueConstraint(fields=('job', 'attempt', 'day'), name='rollup_attemptday_once')],
            },
        ),
        migrations.CreateModel(
            name='JobTotal',
            fields=[
                ('job', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='total', serialize=False, to='ingest.job')),
                ('model', models.TextField()),
                ('cluster', models.TextField()),
                ('tier', models.TextField()),
                ('workload', models.TextField()),
                ('gpus', models.IntegerField(help_text='of the last attempt')),
                ('attempts', models.IntegerField(help_text='how many count')),
                ('last_attempt', models.IntegerField(help_text='its number')),
                ('state', models.CharField(max_length=16)),
                ('first_ts', models.BigIntegerField(help_text='µs since 1970, UTC')),
                ('last_ts', models.BigIntegerField(help_text='µs since 1970, UTC')),
                ('wall', models.BigIntegerField(help_text='E2E')),
                ('effective', models.BigIntegerField()),
                ('failure', models.BigIntegerField(help_text='the numerator of Failure%')),
                ('down_since', models.BigIntegerField(help_text='interrupted then, and nobody has restarted it', null=True)),
                ('lost_at', models.BigIntegerField(help_text="when a running job's silence makes it lost", null=True)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to='accounts.team')),
            ],
            options={
                'indexes': [models.Index(models.F('lost_at'), condition=models.Q(('lost_at__isnull', False)), name='rollup_jobtotal_lost'), models.Index(models.F('down_since'), condition=models.Q(('down_since__isnull', False)), name='rollup_jobtotal_down'), models.Index(models.F('state'), name='rollup_jobtotal_state')],
            },
        ),
    ]
