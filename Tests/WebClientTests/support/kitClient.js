// @parley/client as the client of `parley admin conformance --client`; docs/clients.md describes the variables and lines.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { createClient } from '../../../Sources/CWebClient/files/client/index.js';

const env = process.env;
// Debian's node-ws.
const WebSocket = createRequire(import.meta.url)('/usr/share/nodejs/ws');

const client = createClient({
  url: env.PARLEY_CHAT_SERVER, credentials: { username: env.PARLEY_CHAT_USER, password: env.PARLEY_CHAT_PASSWORD }, WebSocket,
});
const input = createInterface({ input: process.stdin });
const lines = [];
input.on('line', (line) => { lines.push(line); perform(); });
input.on('close', () => process.exit(0));

let messages = null;
await client.ready;
const room = client.threads.find(({ title }) => title === env.PARLEY_CHAT_ROOM).id;
messages = client.messages(room);
const shown = new Map();
messages.subscribe(report);
perform();

/** Prints each message when it changes. */
function report(items) {
  const present = new Set();
  for (const { kind, id, seq, clientID, senderName, text, state, isDeleted } of items) {
    if (kind !== 'message') continue;
    const key = clientID ?? id;
    present.add(key);
    const fields = { type: 'message', id: key, seq: seq ?? undefined, client_id: clientID ?? undefined, sender: senderName, text, state, deleted: isDeleted };
    const line = JSON.stringify(fields);
    if (shown.get(key) === line) continue;
    shown.set(key, line);
    console.log(line);
  }
  for (const key of [...shown.keys()]) {
    if (present.has(key)) continue;
    shown.delete(key);
    console.log(JSON.stringify({ type: 'removed', id: key }));
  }
}

function perform() {
  if (!messages) return;
  for (const line of lines.splice(0)) {
    const [, seq, text] = line.match(/^\/edit (\d+) (.*)$/) ?? [];
    if (seq) client.edit(room, messages.items.find((each) => each.seq === Number(seq)).id, text);
    else if (line === '/read') client.markRead(room);
    else if (line === '/typing') client.setTyping(room);
    else client.send(room, line);
  }
}
