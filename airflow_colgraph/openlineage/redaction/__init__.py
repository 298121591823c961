"""What leaves a process, without secrets: texts, URLs, options, names of columns, events. Pure.

in_text(message)            in_text(query, quoted_only=True)        exception_text(error)
without_credentials(url)    without_secrets(options)                shown_name(column)
"""

from airflow_colgraph.openlineage.redaction.columns import shown_name as shown_name
from airflow_colgraph.openlineage.redaction.columns import shown_names as shown_names
from airflow_colgraph.openlineage.redaction.columns import with_shown_names as with_shown_names
from airflow_colgraph.openlineage.redaction.events import redacted as redacted
from airflow_colgraph.openlineage.redaction.names import REDACTED as REDACTED
from airflow_colgraph.openlineage.redaction.names import is_hash as is_hash
from airflow_colgraph.openlineage.redaction.names import is_named as is_named
from airflow_colgraph.openlineage.redaction.names import is_option as is_option
from airflow_colgraph.openlineage.redaction.names import is_secret as is_secret
from airflow_colgraph.openlineage.redaction.texts import MOST_LETTERS as MOST_LETTERS
from airflow_colgraph.openlineage.redaction.texts import exception_text as exception_text
from airflow_colgraph.openlineage.redaction.texts import in_text as in_text
from airflow_colgraph.openlineage.redaction.texts import without_secrets as without_secrets
from airflow_colgraph.openlineage.redaction.urls import without_credentials as without_credentials
from airflow_colgraph.openlineage.redaction.urls import without_login as without_login
from airflow_colgraph.openlineage.redaction.urls import without_userinfo as without_userinfo
