import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../../', import.meta.url));
const client = join(root, 'Sources/CWebClient/files/client');

/** The modules that an entry loads, with their texts. */
function loadedBy(entry, known = new Map()) {
  if (known.has(entry)) return known;
  const text = readFileSync(join(client, entry), 'utf8');
  known.set(entry, text);
  for (const [, path] of text.matchAll(/ from '([^']+)'/g)) {
    assert.match(path, /^\.\/\w+\.js$/, `${entry} imports only modules of the package`);
    loadedBy(path.slice(2), known);
  }
  return known;
}

/** The package in a folder `node_modules` of its own. */
function installed(context) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-client-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const archive = execFileSync(join(root, 'deploy/client-package'), [join(folder, 'made')], { encoding: 'utf8' }).trim();
  execFileSync('mkdir', ['-p', join(folder, 'node_modules/@parley')]);
  execFileSync('tar', ['-C', join(folder, 'node_modules/@parley'), '-xzf', archive]);
  execFileSync('mv', [join(folder, 'node_modules/@parley/package'), join(folder, 'node_modules/@parley/client')]);
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return folder;
}

test('the client has at most 20 KiB after gzip, without the storage', () => {
  assert.ok(!loadedBy('index.js').has('database.js'));
  const bundle = execFileSync('esbuild', ['--bundle', '--minify', '--format=esm', join(client, 'index.js')]);
  const { length } = gzipSync(bundle, { level: 9 });
  assert.ok(length <= 20_480, `${length} bytes`);
});

test('every module of the folder belongs to an entry', () => {
  const loaded = new Set([...loadedBy('index.js').keys(), ...loadedBy('storage.js').keys()]);
  assert.deepEqual(readdirSync(client).filter((name) => !loaded.has(name)), []);
});

test('the package that is made has the entries, their types and the licence, and no dependencies', (context) => {
  const folder = join(installed(context), 'node_modules/@parley/client');
  const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const names = readdirSync(folder);
  for (const name of ['LICENSE', 'README.md', ...Object.values(description.exports).flatMap((entry) => Object.values(entry))]) {
    assert.ok(names.includes(name.replace('./', '')), name);
  }
  assert.deepEqual([description.dependencies, names.includes('engine.js')], [undefined, true]);
  const [, version] = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').match(/^## (\d+\.\d+\.\d+)/m);
  assert.equal(description.version, version);
});

test('an import of the package makes no global and opens nothing', (context) => {
  const folder = installed(context);
  const script = `
    const before = Object.getOwnPropertyNames(globalThis).length;
    const { createClient } = await import('@parley/client');
    await import('@parley/client/storage');
    console.log(typeof createClient, Object.getOwnPropertyNames(globalThis).length - before);`;
  assert.equal(execFileSync('node', ['--input-type=module', '-e', script], { cwd: folder, encoding: 'utf8' }).trim(), 'function 0');
});

test('the types are accepted by TypeScript, have what the client has, and refuse what it lacks', (context) => {
  const folder = installed(context);
  const check = (text) => {
    writeFileSync(join(folder, 'use.ts'), text);
    try {
      execFileSync('tsc', ['--noEmit', '--strict', '--target', 'es2022', '--module', 'node16', '--moduleResolution', 'node16', 'use.ts'], { cwd: folder, encoding: 'utf8' });
      return '';
    } catch (error) {
      return error.stdout;
    }
  };
  assert.equal(check(`
    import { createClient, CommandError } from '@parley/client';
    import { indexedDBStorage } from '@parley/client/storage';
    const client = createClient({ url: 'https://chat.example', token: async () => 'x', storage: indexedDBStorage, tabs: true });
    const { id } = await client.join('Garden');
    const sent: string = await client.send(id, 'Hello', { replyTo: 3 }).stored;
    const stop = client.messages(id).subscribe((items) => items.map(({ text, state }) => state === 'failed' ? sent : text));
    client.on('error', (error) => { if (error instanceof CommandError) error.retryAfter.toFixed(); });
    client.on('state', (state) => state === 'open');
    const { untilMs, reason = '' } = client.thread(id)?.mute ?? {};
    untilMs?.toFixed();
    reason.trim();
    const group = await client.entrances.createGroup({ members: ['name:bob'], history: 'since_joining' });
    const { code } = await client.entrances.createLink(group.id, { uses: 3 });
    (await client.entrances.link(code)).members.toFixed();
    client.on('entrances', async ({ thread_id }) => thread_id && (await client.entrances.requests(thread_id)).requests.map(({ user }) => user.username));
    client.suspension?.untilMs?.toFixed();
    client.thread(id)?.visible_from?.toFixed();
    const known = createClient({ user: { id: 'u', username: 'bob' }, storage: indexedDBStorage, tabs: true });
    const view = known.conversations();
    view.open(id);
    known.on('change', () => view.seen(view.timeline.rows.at(-1)?.seq ?? Infinity));
    known.on('live', ({ sender_id, text }) => known.isLeader && !known.blocks.has(sender_id) && text.trim());
    known.send(id, '', { files: [{ blob: new Blob([]), type: 'image/png', width: 2, height: 1 }] });
    known.outbox.filter(({ op, failure }) => op === 'message' && failure?.file.name);
    (await known.members(id)).map(({ user, read_seq = 0 }) => user.username + read_seq);
    known.typing(id).map(({ username }) => username);
    await indexedDBStorage.removeRead('u');
    stop();`), '');
  assert.match(check("import { createClient } from '@parley/client';\ncreateClient({ tokens: 'x' });\n"), /tokens/);
});

test('the types and the client have the same members', async () => {
  const { createClient } = await import('../../Sources/CWebClient/files/client/index.js');
  const types = readFileSync(join(root, 'Sources/CWebClient/package/index.d.ts'), 'utf8');
  const [, body] = types.match(/export interface Client \{\n([^]*?)\n\}/);
  const declared = [...body.matchAll(/^ {2}(?:readonly )?(\w+)[(<:]/gm)].map(([, name]) => name);
  const client = createClient({ url: 'http://127.0.0.1:1', fetch: async () => { throw new TypeError(); } });
  client.close();
  await client.ready.catch(() => {});
  const present = [...Object.keys(client), ...Object.getOwnPropertyNames(Object.getPrototypeOf(client))].filter((name) => name !== 'constructor');
  assert.deepEqual(declared.sort(), present.sort());
});
