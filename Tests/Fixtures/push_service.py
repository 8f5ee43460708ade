"""A push service of browsers: writes each push as a JSON line to a file, and answers 201.

push_service.py PORT FILE: a line has `path`, `headers` with names in lower case, and `body` in base64.
"""

import base64
import http.server
import json
import sys

port, file = int(sys.argv[1]), sys.argv[2]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        line = {"path": self.path, "headers": headers, "body": base64.b64encode(body).decode()}
        with open(file, "a") as pushes:
            pushes.write(json.dumps(line) + "\n")
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
