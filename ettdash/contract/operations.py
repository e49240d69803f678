"""Every call of the product. A new one is an entry here: `make contract` writes the rest."""

from ettdash.contract.itself import GET_HEALTHZ, GET_METRICS, GET_OPENAPI, GET_READYZ
from ettdash.contract.sending import POST_ANNOTATIONS, POST_EVENTS

OPERATIONS = (POST_EVENTS, POST_ANNOTATIONS, GET_OPENAPI, GET_HEALTHZ, GET_READYZ, GET_METRICS)
