import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
        ('ingest', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Rejected',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('code', models.CharField(max_length=64)),
                ('n', models.BigIntegerField()),
                ('last_at', models.DateTimeField()),
                ('last_field', models.CharField(max_length=64)),
                ('last_message', models.CharField(max_length=256)),
                ('team', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='accounts.team')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('team', 'day', 'code'), name='ingest_rejected_once')],
            },
        ),
    ]
