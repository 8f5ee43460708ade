"""What schemathesis does not know about the server: how a body of NDJSON is written."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def ndjson(context, value):
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    lines = value if isinstance(value, list) else [value]
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)
