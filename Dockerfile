# The image of web, worker, beat and migrate. Each step but the system's own is one that make runs.
FROM python:3.11-slim-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends make && rm -rf /var/lib/apt/lists/*
ENV PIP_NO_CACHE_DIR=1
WORKDIR /app
COPY Makefile ./
COPY requirements/runtime.txt requirements/
RUN make .venv/.runtime
COPY . .
RUN make static

FROM python:3.11-slim-bookworm
LABEL org.opencontainers.image.title="ettdash" \
      org.opencontainers.image.description="Effective Training Time for fleets that train large models" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --system --uid 10001 --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin ettdash
WORKDIR /app
# Owned by root: the product cannot change itself.
COPY --from=build /app ./
# All that is written goes to /tmp, so that the rest may be read-only.
ENV PATH=/app/.venv/bin:$PATH \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PROMETHEUS_MULTIPROC_DIR=/tmp \
    ETTDASH_ALIVE_FILE=/tmp/alive \
    ETTDASH_LISTEN=0.0.0.0 \
    ETTDASH_PRODUCTION=1
USER 10001:10001
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-I", "-S", "ettdash/alive.py", "web"]
CMD ["python", "-m", "ettdash.programs", "web"]
