#!/usr/bin/env node
// Serves a page on the origin of a Parley server, for trying an example: node examples/serve.js FOLDER [SERVER] [PORT]
//
// Files of the folder come first; everything else, sockets included, goes to the server (http://127.0.0.1:8080). In
// production a proxy such as HAProxy or nginx does this.
import { createReadStream, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { extname, join, normalize } from 'node:path';

const [folder, address = 'http://127.0.0.1:8080', port = '3000'] = process.argv.slice(2);
if (!folder) {
  console.error('usage: serve.js FOLDER [SERVER] [PORT]');
  process.exit(2);
}
const server = new URL(address);
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** The file that a path names, or `null`. */
function fileOf(url) {
  const path = normalize(decodeURIComponent(new URL(url, 'http://page').pathname));
  const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : null;
}

const proxy = createServer((incoming, outgoing) => {
  const file = incoming.method === 'GET' && fileOf(incoming.url);
  if (file) {
    outgoing.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream', 'Cache-Control': 'no-store' });
    createReadStream(file).pipe(outgoing);
    return;
  }
  const { method, headers, url: path } = incoming;
  const forwarded = request({ hostname: server.hostname, port: server.port, method, headers, path }, (response) => {
    outgoing.writeHead(response.statusCode, response.headers);
    response.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end());
  incoming.pipe(forwarded);
});

proxy.on('upgrade', (incoming, socket, head) => {
  const forwarded = connect(server.port, server.hostname, () => {
    const fields = incoming.rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    forwarded.write(`GET ${incoming.url} HTTP/1.1\r\n${fields}\r\n`);
    forwarded.write(head);
    socket.pipe(forwarded).pipe(socket);
  });
  for (const [one, other] of [[socket, forwarded], [forwarded, socket]]) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
});

proxy.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${proxy.address().port}/ shows ${folder}`));
