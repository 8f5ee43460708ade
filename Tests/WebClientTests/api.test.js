import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as api from '../../Sources/CWebClient/files/app/api.js';
import { replaceGlobal } from './support/globals.js';

/** A response as `fetch` gives it. */
const response = (status, text, headers = {}) => ({ ok: status < 300, status, text: async () => text, headers: new Headers(headers) });

/** What a call throws, or what it resolves to. */
const outcome = (call) => call.then((value) => value, ({ status, message, retryAfter }) => ({ status, message, retryAfter }));

test('an answer is its JSON; without one it is empty', async (context) => {
  for (const [text, answer] of [['{"id":"x"}', { id: 'x' }], ['', {}], ['<html>', {}]]) {
    replaceGlobal(context, 'fetch', async () => response(200, text));
    assert.deepEqual(await api.me(), answer);
  }
});

test('an error has the server’s text and its pause, and a proxy’s page only its status', async (context) => {
  const cases = [
    [async () => response(429, '{"error":{"message":"Slow down"}}', { 'Retry-After': '7' }), { status: 429, message: 'Slow down', retryAfter: 7000 }],
    [async () => response(502, '<html>', { 'Retry-After': 'soon' }), { status: 502, message: 'The server answered 502.', retryAfter: 0 }],
    [async () => { throw new TypeError(); }, { status: 0, message: 'No connection to the server.', retryAfter: 0 }],
    [async () => ({ ...response(200, ''), text: async () => { throw new TypeError(); } }), { status: 0, message: 'No connection to the server.', retryAfter: 0 }],
  ];
  for (const [fetch, error] of cases) {
    replaceGlobal(context, 'fetch', fetch);
    assert.deepEqual(await outcome(api.me()), error);
  }
});

test('ids and texts stay in their place in a path', async (context) => {
  const paths = [];
  replaceGlobal(context, 'fetch', async (path) => {
    paths.push(path);
    return response(200, '{"threads":[]}');
  });
  await api.thread('../me?x');
  await api.removeMember('a/b', 'u&1');
  await api.joinable('a&b=c', 5);
  await api.search('x', undefined);
  assert.deepEqual(paths, [
    '/v1/threads/..%2Fme%3Fx', '/v1/threads/a%2Fb/members/id%3Au%261', '/v1/threads/joinable?prefix=a%26b%3Dc&limit=5', '/v1/search?q=x&limit=50',
  ]);
});

test('mutes and bans are asked for, made and ended in their place', async (context) => {
  const calls = [];
  replaceGlobal(context, 'fetch', async (path, { method, body }) => {
    calls.push([method, path, body && JSON.parse(body)]);
    return response(200, '{"sanctions":[],"next_cursor":null}');
  });
  assert.deepEqual(await api.sanctions('a/b', 'c 1'), { sanctions: [], next_cursor: null });
  await api.sanctions('a');
  await api.mute('a/b', 'u&1', { seconds: 600, reason: 'spam' });
  await api.ban('a', 'u', {});
  await api.unmute('a', 'u');
  await api.unban('a', 'u/1');
  assert.deepEqual(calls, [
    ['GET', '/v1/threads/a%2Fb/sanctions?cursor=c+1&limit=200', undefined],
    ['GET', '/v1/threads/a/sanctions?limit=200', undefined],
    ['PUT', '/v1/threads/a%2Fb/sanctions/id%3Au%261/mute', { seconds: 600, reason: 'spam' }],
    ['PUT', '/v1/threads/a/sanctions/id%3Au/ban', {}],
    ['DELETE', '/v1/threads/a/sanctions/id%3Au/mute', undefined],
    ['DELETE', '/v1/threads/a/sanctions/id%3Au%2F1/ban', undefined],
  ]);
});

test('a server without files has no limits, and one that cannot be asked may have some', async (context) => {
  replaceGlobal(context, 'fetch', async () => response(404, ''));
  assert.equal(await api.rest.attachmentLimits(), null);
  assert.equal(await api.rest.uploadOffset('x'), null);
  replaceGlobal(context, 'fetch', async () => response(503, ''));
  assert.equal((await outcome(api.rest.attachmentLimits())).status, 503);
  assert.equal((await outcome(api.rest.uploadOffset('x'))).status, 503);
});

/** The outcome of uploading one piece to a server that answers like this; 'never settled' if there is none. */
function upload(context, { status = 200, responseText = '', offset = '3' }) {
  replaceGlobal(context, 'XMLHttpRequest', class {
    upload = {};
    status = status;
    responseText = responseText;
    open() {}
    setRequestHeader() {}
    getResponseHeader(name) { return name === 'Upload-Offset' ? offset : null; }
    abort() { this.onabort(); }
    send() { queueMicrotask(() => this.onload()); }
  });
  const controller = new AbortController();
  const silence = new Promise((resolve) => { setTimeout(resolve, 3000, 'never settled').unref(); });
  const piece = api.rest.uploadPiece('a', new Blob(['abc']), 0, { signal: controller.signal, onProgress: () => {} });
  return Promise.race([silence, piece.catch((error) => error.status)]);
}

test('an upload that something else than the server answers fails, and can be tried again', async (context) => {
  for (const responseText of ['<html>Log in</html>', '', 'null']) assert.equal(await upload(context, { responseText }), 0);
  assert.deepEqual(await upload(context, { responseText: '{"complete":true}' }), { offset: 3, isComplete: true });
});

test('an upload goes on where the server says', async (context) => {
  assert.deepEqual(await upload(context, { status: 409, offset: '5' }), { offset: 5, isConflict: true });
  assert.deepEqual(await upload(context, { status: 409, offset: null }), { offset: 0, isConflict: true });
  assert.deepEqual(await upload(context, { status: 404 }), { offset: null });
  assert.deepEqual(await upload(context, { status: 400 }), { offset: null, isRefused: true });
  assert.equal(await upload(context, { status: 507 }), 507);
});

test('an upload that was given up before it begins, or while it is made, fails', async (context) => {
  replaceGlobal(context, 'XMLHttpRequest', class {
    upload = {};
    open() {}
    setRequestHeader() {}
    abort() { this.onabort(); }
    send() {}
  });
  const controller = new AbortController();
  const options = { signal: controller.signal, onProgress: () => {} };
  const pieces = [outcome(api.rest.uploadPiece('a', new Blob(['abc']), 0, options))];
  controller.abort();
  pieces.push(outcome(api.rest.uploadPiece('a', new Blob(['abc']), 0, options)));
  assert.deepEqual((await Promise.all(pieces)).map((each) => each.status), [0, 0]);
});
