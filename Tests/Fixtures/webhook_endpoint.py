"""An endpoint of webhooks: writes a JSON line for each request to a file, and answers with the status in another file.

webhook_endpoint.py PORT DIRECTORY: the directory has `secrets` (one in a line), `status`, and gets `requests`. A request is
verified by the headers of Standard Webhooks, without any code of Parley.
"""

import base64
import hashlib
import hmac
import http.server
import json
import pathlib
import sys
import time

port, directory = int(sys.argv[1]), pathlib.Path(sys.argv[2])


def is_signed(headers, body):
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    signatures = [each.removeprefix("v1,") for each in headers["webhook-signature"].split(" ")]
    secrets = (directory / "secrets").read_text().split()
    keys = [base64.b64decode(secret.removeprefix("whsec_")) for secret in secrets]
    wanted = [base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode() for key in keys]
    is_new = abs(time.time() - int(headers["webhook-timestamp"])) < 300
    return is_new and sorted(wanted) == sorted(signatures)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        value = json.loads(body)
        events = value["events"] if "events" in value else [value]
        status = int((directory / "status").read_text())
        line = {
            "signed": is_signed(self.headers, body),
            "webhook_id": self.headers["webhook-id"],
            "status": status,
            "ids": [each["id"] for each in events],
            "texts": [each["event"].get("text", "") for each in events],
        }
        # One write, so that a process that is killed leaves no half of a line in the middle.
        with open(directory / "requests", "a") as file:
            file.write(json.dumps(line) + "\n")
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
