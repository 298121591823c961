"""Run by acryl-datahub's own Python: answers questions from standard input, as JSON.

{"urns": [...], "parts": [...], "v2": [...], "avro": [...], "hive": [...], "file": "x.json"}
"""

import json
import pathlib
import sys
from typing import Any

from avro.errors import AvroException
from datahub.emitter.mce_builder import make_dataset_urn_with_platform_instance
from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.emitter.rest_emitter import DatahubRestEmitter, EmitMode
from datahub.ingestion.extractor.schema_util import avro_schema_to_mce_fields
from datahub.ingestion.run.pipeline import Pipeline
from datahub.metadata.schema_classes import FabricTypeClass
from datahub.metadata.urns import DatasetUrn, SchemaFieldUrn, Urn
from datahub.utilities.hive_schema_to_avro import get_schema_fields_for_hive_column
from datahub.utilities.urns.field_paths import get_simple_field_path_from_v2_field_path


def urn(text: str) -> list[str]:
    """The parts of a URN; an error if the package refuses it or writes it differently."""
    parsed = Urn.from_string(text)
    assert str(parsed) == text
    return [type(parsed).__name__, *parsed.entity_ids]


def made(platform: str, name: str, env: str, path: str) -> str:
    return str(SchemaFieldUrn(DatasetUrn(platform, name, env), path))


def avro(schema: Any) -> list[str]:
    found = avro_schema_to_mce_fields(json.dumps(schema), swallow_exceptions=False)
    return [field.fieldPath for field in found]


def hive(name: str, type_: str) -> list[list[Any]]:
    found = get_schema_fields_for_hive_column(name, type_)
    return [[f.fieldPath, type(f.type.type).__name__.removesuffix("Class")] for f in found]


def valid(proposal: Any) -> bool:
    """Whether the package reads a proposal as one of its own aspects and finds it whole."""
    try:
        wrapper = MetadataChangeProposalWrapper.from_obj(proposal)
        return isinstance(wrapper, MetadataChangeProposalWrapper) and wrapper.validate()
    except (AvroException, ValueError, AssertionError):
        return False


def through(path: str) -> list[Any]:
    """A file read by DataHub's file source and written by its file sink."""
    out = path + ".out"
    recipe = {
        "run_id": "check",
        "source": {"type": "file", "config": {"path": path}},
        "sink": {"type": "file", "config": {"filename": out}},
    }
    pipeline = Pipeline.create(recipe)
    pipeline.run()
    pipeline.raise_from_status(raise_warnings=True)
    return json.loads(pathlib.Path(out).read_text())


def emit(url: str, proposals: list[Any]) -> int:
    """Post proposals as the package does."""
    emitter = DatahubRestEmitter(url, token="t0p", openapi_ingestion=False)
    for proposal in proposals:
        wrapper = MetadataChangeProposalWrapper.from_obj(proposal)
        emitter.emit_mcp(wrapper, emit_mode=EmitMode.SYNC_PRIMARY)
    return len(proposals)


asked = json.load(sys.stdin)
answers: dict[str, Any] = {"environments": []}
answers["environments"] = sorted(v for k, v in vars(FabricTypeClass).items() if k.isupper())
answers["urns"] = [urn(text) for text in asked.get("urns", [])]
answers["made"] = [made(*parts) for parts in asked.get("parts", [])]
answers["instances"] = [
    make_dataset_urn_with_platform_instance(*parts) for parts in asked.get("instances", [])
]
answers["v2"] = [get_simple_field_path_from_v2_field_path(path) for path in asked.get("v2", [])]
answers["avro"] = [avro(schema) for schema in asked.get("avro", [])]
answers["valid"] = [valid(proposal) for proposal in asked.get("proposals", [])]
answers["hive"] = [hive(*column) for column in asked.get("hive", [])]
if "emit" in asked:
    answers["emit"] = emit(asked["emit"], asked["proposals"])
if "file" in asked:
    answers["through"] = through(asked["file"])
sys.stdout.write(json.dumps(answers))
