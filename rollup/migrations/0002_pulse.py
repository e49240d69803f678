from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('rollup', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Pulse',
            fields=[
                ('kind', models.CharField(choices=[('refresh', 'Refresh'), ('silence', 'Silence')], max_length=16, primary_key=True, serialize=False)),
                ('ran_at', models.DateTimeField(help_text='when the latest pass, or a part of a long one, ended')),
                ('done', models.BigIntegerField(help_text='jobs, since the beginning')),
                ('failed', models.BigIntegerField(help_text='jobs that could not be worked out, since the beginning')),
                ('busy_s', models.FloatField(help_text='time spent, since the beginning')),
                ('lag_s', models.FloatField(help_text='the longest that a job counted in the latest pass had waited')),
            ],
        ),
    ]
