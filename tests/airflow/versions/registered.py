"""An extractor as people register one by configuration, for an operator of theirs."""

from typing import ClassVar

from airflow_colgraph.extractors.spark import SparkExtractor


class RegisteredExtractor(SparkExtractor):
    operators: ClassVar[list[str]] = ["Extracted"]
