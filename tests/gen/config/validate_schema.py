#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""validate_schema.py SCHEMA DOCUMENTS: checks the schema against its draft, then every line of
DOCUMENTS (one JSON document each) against the schema; prints one line each, "accept" or "reject"."""
import json
import sys

from jsonschema import Draft202012Validator

with open(sys.argv[1], encoding="utf-8") as f:
    schema = json.load(f)
if schema["$schema"] != Draft202012Validator.META_SCHEMA["$id"]:
    sys.exit("the schema does not name draft 2020-12")
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
with open(sys.argv[2], encoding="utf-8") as f:
    for line in f:
        print("accept" if validator.is_valid(json.loads(line)) else "reject")
