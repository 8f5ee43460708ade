import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rest } from '../../Sources/CWebClient/files/client/rest.js';
import { UploadError, Uploads } from '../../Sources/CWebClient/files/client/uploads.js';
import { FakeDatabase } from './support/database.js';
import { replaceGlobal } from './support/globals.js';

/**
 * A server of files. `answer(piece)` may answer a piece, `{attachment, offset, length, type}`, by `{status, offset}`;
 * otherwise it is appended.
 */
function server(context, { answer = () => undefined, declare = () => undefined } = {}) {
  const files = new Map();
  const requests = [];
  const response = (status, body = {}, headers = {}) =>
    ({ ok: status < 300, status, headers: new Headers(headers), text: async () => JSON.stringify(body) });
  replaceGlobal(context, 'fetch', async (path, { method, body }) => {
    requests.push(`${method} ${path}`);
    const id = path.split('/').at(-1);
    if (method === 'POST') {
      const refused = declare(JSON.parse(body));
      if (refused) return response(refused);
      files.set(`f${files.size + 1}`, { ...JSON.parse(body), offset: 0 });
      return response(200, { id: `f${files.size}` });
    }
    if (method === 'DELETE') files.delete(id);
    return files.has(id) ? response(200, {}, { 'Upload-Offset': `${files.get(id).offset}` }) : response(404);
  });
  replaceGlobal(context, 'XMLHttpRequest', class {
    upload = {};
    #headers = {};

    open(method, path) { this.id = path.split('/').at(-1); }
    setRequestHeader(name, value) { this.#headers[name] = value; }
    getResponseHeader(name) { return name === 'Upload-Offset' && this.at !== undefined ? `${this.at}` : null; }
    abort() { this.onabort(); }

    send(bytes) {
      const file = files.get(this.id);
      const offset = Number(this.#headers['Upload-Offset']);
      requests.push(`PATCH ${this.id} ${offset}+${bytes.size}`);
      const other = answer({ attachment: this.id, offset, length: bytes.size, type: file?.type });
      this.status = other?.status ?? (file ? 200 : 404);
      if (this.status === 200) file.offset = other?.offset ?? offset + bytes.size;
      this.at = other?.offset ?? file?.offset;
      this.responseText = JSON.stringify({ complete: file?.offset === file?.size });
      queueMicrotask(() => this.onload());
    }
  });
  return { files, requests };
}

function uploadsOf(sizes, type = 'image/png') {
  const changes = [];
  const uploads = new Uploads(new FakeDatabase(), { onFile: (id, index, change) => changes.push([index, change]), onProgress: () => {} }, new Rest());
  uploads.hold('c', sizes.map((size) => new Blob(['x'.repeat(size)])));
  const entry = { id: 'c', op: 'message', thread: 'a', files: sizes.map((size, index) => ({ name: `${index}`, type, size })) };
  return { uploads, entry, changes };
}

const failure = (promise) => promise.then(() => null, (error) => {
  assert.ok(error instanceof UploadError, error.stack);
  return error;
});

test('files are declared and uploaded one after the other, in pieces of 8 MiB', async (context) => {
  const { requests } = server(context);
  const { uploads, entry, changes } = uploadsOf([8_388_609, 1]);
  await uploads.upload(entry);
  assert.deepEqual(requests, [
    'POST /v1/attachments', 'PATCH f1 0+8388608', 'PATCH f1 8388608+1', 'POST /v1/attachments', 'PATCH f2 0+1',
  ]);
  assert.deepEqual(changes, [
    [0, { attachment: 'f1', type: 'image/png' }], [0, { isComplete: true }], [1, { attachment: 'f2', type: 'image/png' }], [1, { isComplete: true }],
  ]);
});

test('an upload goes on where it was cut, and a complete file is left alone', async (context) => {
  const { files, requests } = server(context);
  files.set('f1', { type: 'image/png', size: 5, offset: 3 });
  const { uploads, entry } = uploadsOf([5, 1]);
  Object.assign(entry.files[0], { attachment: 'f1' });
  Object.assign(entry.files[1], { isComplete: true });
  await uploads.upload(entry);
  assert.deepEqual(requests, ['HEAD /v1/attachments/f1', 'PATCH f1 3+2']);
});

test('a file that the server has dropped is declared anew', async (context) => {
  const { requests } = server(context);
  const { uploads, entry } = uploadsOf([5]);
  entry.files[0].attachment = 'gone';
  await uploads.upload(entry);
  assert.deepEqual(requests, ['HEAD /v1/attachments/gone', 'POST /v1/attachments', 'PATCH f1 0+5']);
});

test('a file that is not what its type says is sent as a download, and refused as one is refused for good', async (context) => {
  server(context, { answer: ({ type }) => (type === 'image/png' ? { status: 400 } : undefined) });
  const { uploads, entry, changes } = uploadsOf([5]);
  await uploads.upload(entry);
  assert.deepEqual(changes.map(([, { type }]) => type), ['image/png', 'application/octet-stream', undefined]);
  server(context, { answer: () => ({ status: 400 }) });
  const again = uploadsOf([5]);
  assert.equal((await failure(again.uploads.upload(again.entry))).isRetryable, false);
});

test('a server that corrects the offset again and again is tried later', async (context) => {
  let corrections = 0;
  server(context, { answer: ({ offset }) => { corrections += 1; return { status: 409, offset: (offset + 1) % 3 }; } });
  const { uploads, entry } = uploadsOf([5]);
  assert.equal((await failure(uploads.upload(entry))).isRetryable, true);
  assert.equal(corrections, 6);
});

test('another upload of the same file that has ended it is enough', async (context) => {
  server(context, { answer: () => ({ status: 409, offset: 5 }) });
  const { uploads, entry, changes } = uploadsOf([5]);
  await uploads.upload(entry);
  assert.deepEqual(changes.at(-1), [0, { isComplete: true }]);
});

test('what the server refuses is final, and what may pass is tried again', async (context) => {
  for (const [status, isRetryable] of [[400, false], [403, false], [404, false], [413, false], [429, true], [503, true]]) {
    server(context, { declare: () => status });
    const { uploads, entry } = uploadsOf([5]);
    const error = await failure(uploads.upload(entry));
    assert.deepEqual([error.isRetryable, error.failure?.status], [isRetryable, isRetryable ? undefined : status], `${status}`);
    assert.equal(uploads.isBusy, false);
  }
});

test('a file that is no longer on this device is said', async (context) => {
  server(context);
  const { uploads, entry } = uploadsOf([5]);
  uploads.forget('c');
  const { code, failure: { status, file } } = await failure(uploads.upload(entry));
  assert.deepEqual([code, status, file.name], ['file_lost', undefined, '0']);
});

test('a message that is taken back stops its upload, and removes what the server has', async (context) => {
  const { files, requests } = server(context, { answer: () => { uploads.cancel({ ...entry, files: [{ attachment: 'f1' }] }); } });
  const { uploads, entry } = uploadsOf([8_388_609]);
  assert.equal((await failure(uploads.upload(entry))).isRetryable, true);
  assert.ok(requests.includes('DELETE /v1/attachments/f1'));
  assert.equal(files.size, 0);
});

test('the files of two messages are uploaded at the same time', (context) => {
  replaceGlobal(context, 'fetch', () => new Promise(() => {}));
  const uploads = new Uploads(new FakeDatabase(), {});
  const upload = (id) => {
    uploads.hold(id, [new Blob(['x'])]);
    uploads.upload({ id, files: [{ name: 'x', type: 'x/y', size: 1 }] }).catch(() => {});
  };
  upload('1');
  assert.equal(uploads.isBusy, false);
  upload('2');
  assert.equal(uploads.isBusy, true);
});

test('files whose message is gone are removed from this device', async () => {
  const database = new FakeDatabase();
  database.stores.outbox = [{ id: '1' }];
  database.stores.files = [{ id: '1', index: 0 }, { id: '2', index: 0 }];
  await new Uploads(database, {}).sweep();
  assert.deepEqual(database.stores.files, [{ id: '1', index: 0 }]);
});
