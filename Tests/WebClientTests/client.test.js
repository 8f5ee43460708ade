import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APIError, CommandError, createClient } from '../../Sources/CWebClient/files/client/index.js';
import { FakeDatabase } from './support/database.js';
import { golden } from './support/fixtures.js';
import './support/globals.js';
import { settled, until } from './support/globals.js';
import { FakeServer } from './support/server.js';

/** A client of a server with one thread, `a`. `requests` are the REST calls, `[method, url, authorization, credentials]`. */
function clientOf(context, options = {}, rest = () => undefined) {
  const server = new FakeServer();
  const requests = [];
  const fetch = async (url, { method, headers, credentials }) => {
    const path = url.replace('https://chat.example', '');
    requests.push([method, path, headers.Authorization ?? null, credentials]);
    const answer = rest(method, path, headers);
    const { status = 200, body, cookie } = answer ?? {};
    if (!answer && path.startsWith('/v1/threads')) return server.fetch(path);
    const texts = { '/v1/me': { id: 'me', username: 'Me' }, '/v1/tickets': { ticket: 't1' } };
    return { ok: status < 300, status, headers: new Headers(cookie && { 'Set-Cookie': cookie }), text: async () => JSON.stringify(body ?? texts[path] ?? {}) };
  };
  const client = createClient({ url: 'https://chat.example', token: 'secret', WebSocket: server.WebSocket, fetch, ...options });
  context.after(() => client.close());
  const deliver = async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      await settled();
      for (const socket of server.open) await server.deliver(socket, socket.queue.length);
    }
  };
  return { client, server, requests, deliver };
}

test('a token is exchanged for a ticket, which opens the socket; no cookie is sent', async (context) => {
  const { client, server, requests } = clientOf(context);
  await client.ready;
  assert.equal(server.open[0].url, 'wss://chat.example/chat?ticket=t1');
  assert.deepEqual(requests.slice(0, 2), [['GET', '/v1/me', 'Bearer secret', 'omit'], ['POST', '/v1/tickets', 'Bearer secret', 'omit']]);
  assert.deepEqual([client.me.username, client.state, client.threads.map(({ title }) => title)], ['Me', 'open', ['A']]);
});

test('the page’s cookie needs no ticket', async (context) => {
  const { client, server, requests } = clientOf(context, { token: undefined });
  await client.ready;
  assert.equal(server.open[0].url, 'wss://chat.example/chat');
  assert.deepEqual(requests[0], ['GET', '/v1/me', null, 'include']);
});

test('a name and a password become a session, which Node keeps', async (context) => {
  const { client, requests } = clientOf(context, { token: undefined, credentials: { username: 'Me', password: 'p' } }, (method, path) =>
    (path === '/auth/login' ? { body: { id: 'me', username: 'Me' }, cookie: 'sessionid=s1; HttpOnly; Path=/' } : undefined));
  await client.ready;
  assert.deepEqual(requests.slice(0, 2), [['POST', '/auth/login', null, 'include'], ['POST', '/v1/tickets', 'Bearer s1', 'omit']]);
});

test('with signUp an account is made if the login is refused, and a taken name is a wrong password', async (context) => {
  const refused = { status: 401, body: { error: { code: 'unauthorized', message: 'wrong username or password' } } };
  const signUp = async (answer) => {
    const credentials = { username: 'Me', password: 'p', signUp: true };
    const { client, requests } = clientOf(context, { token: undefined, credentials }, (method, path) =>
      ({ '/auth/login': refused, '/auth/signup': answer })[path]);
    const end = await client.ready.then(() => client.me.username, ({ status, code, message }) => [status, code, message]);
    return [end, requests.slice(0, 3).map(([, path, authorization]) => [path, authorization])];
  };
  const made = { body: { id: 'me', username: 'Me' }, cookie: 'sessionid=s1; HttpOnly; Path=/' };
  assert.deepEqual(await signUp(made), ['Me', [['/auth/login', null], ['/auth/signup', null], ['/v1/tickets', 'Bearer s1']]]);
  const [taken] = await signUp({ status: 403, body: { error: { code: 'forbidden', message: 'the username is taken' } } });
  assert.deepEqual(taken, [401, 'unauthorized', 'wrong username or password']);
  const [short] = await signUp({ status: 400, body: { error: { code: 'bad_request', message: 'the password is too short' } } });
  assert.deepEqual(short, [400, 'bad_request', 'the password is too short']);
});

test('an expired token is replaced once, and a refused one is an error with a code', async (context) => {
  const tokens = ['old', 'new'];
  const { client } = clientOf(context, { token: () => tokens.shift() }, (method, path, { Authorization }) =>
    (Authorization === 'Bearer old' ? { status: 401, body: { error: { code: 'unauthorized', message: 'no' } } } : undefined));
  await client.ready.catch(() => {});
  assert.deepEqual([tokens, client.me?.id], [[], 'me']);
  const refused = clientOf(context, {}, () => ({ status: 401, body: { error: { code: 'unauthorized', message: 'no' } } }));
  await assert.rejects(refused.client.ready, (error) => error instanceof APIError && error.code === 'unauthorized');
});

test('a message is shown at once, and its promise resolves when it is stored', async (context) => {
  const { client, server, deliver } = clientOf(context);
  await client.ready;
  const messages = client.messages('a');
  const seen = [];
  messages.subscribe((items) => seen.push(items.map(({ text, state }) => `${text} ${state}`).join()));
  await deliver();
  const { id, stored } = client.send('a', 'Hello');
  await deliver();
  server.store();
  await deliver();
  assert.equal(await stored, id);
  assert.deepEqual([...new Set(seen)].filter(Boolean), ['Hello pending', 'Hello accepted', 'Hello stored']);
  assert.deepEqual(messages.items.map(({ clientID, senderID }) => [clientID, senderID]), [[id, 'me']]);
});

test('a refused message has the code of the refusal, and a closed client that of its end', async (context) => {
  const { client, server, deliver } = clientOf(context);
  await client.ready;
  await deliver();
  const messages = client.messages('a');
  await deliver();
  const [socket] = server.open;
  socket.onCommand = ({ ref }) => queueMicrotask(() => socket.receive({ type: 'error', ref, code: 'forbidden', message: 'no', retryable: false }));
  const { stored } = client.send('a', 'Hello');
  await assert.rejects(stored, (error) => error instanceof CommandError && error.code === 'forbidden');
  await settled();
  assert.deepEqual(messages.items.map(({ state, error }) => [state, error]), [['failed', 'forbidden']]);
  socket.onCommand = () => {};
  const open = client.send('a', 'Again');
  client.close();
  await assert.rejects(open.stored, { code: 'closed' });
});

test('two collections of one client are both live, and a closed one is not', async (context) => {
  const { client, server, deliver } = clientOf(context);
  await client.ready;
  const [first, second] = [client.messages('a'), client.messages('a')];
  await deliver();
  second.close();
  server.append('x', 'one');
  await deliver();
  assert.deepEqual([first.items.map(({ text }) => text), second.items], [['one'], []]);
});

test('another name of a user is an event, and messages have the display name of their sender', async (context) => {
  const { client, server, deliver } = clientOf(context);
  await client.ready;
  const messages = client.messages('a');
  await deliver();
  const users = [];
  client.on('user', (user) => users.push(user));
  const [socket] = server.open;
  const { user } = golden('user');
  socket.queue.push(golden('user'));
  server.append('x', 'one').sender_display_name = 'Xaver';
  await deliver();
  assert.deepEqual(users, [user]);
  assert.deepEqual(messages.items.map(({ senderDisplayName }) => senderDisplayName), ['Xaver']);
});

test('a frame about entrances is an event, and a thread that the user comes into is listed', async (context) => {
  const { client, server, deliver } = clientOf(context, {}, (method, path) =>
    (path === '/v1/links/c1' ? { status: 201, body: { id: 'g', title: 'bob, me', kind: 'group', epoch: 'e1', seq: 3, unread: 0, visible_from: 3 } } : undefined));
  await client.ready;
  const told = [];
  client.on('entrances', ({ thread_id: id }) => told.push(id ?? 'mine'));
  server.open[0].queue.push({ type: 'entrances' }, { type: 'entrances', thread_id: 'a' });
  await deliver();
  assert.deepEqual(told, ['mine', 'a']);
  const group = await client.entrances.joinLink('c1');
  assert.deepEqual([group.kind, group.visible_from, client.thread('g').title], ['group', 3, 'bob, me']);
});

test('the title of a group is read again after a change of its members', async (context) => {
  const titles = ['bob, me', 'bob, carol, me'];
  const group = () => ({ id: 'g', title: titles[0], kind: 'group', epoch: 'e1', seq: 3, unread: 0 });
  const { client, server, requests, deliver } = clientOf(context, {}, (method, path) => (path.startsWith('/v1/threads/g') ? { body: group() } : undefined));
  await client.ready;
  server.open[0].queue.push({ type: 'thread', op: 'added', thread: group() });
  await deliver();
  assert.equal(client.thread('g').title, 'bob, me');
  titles.shift();
  const event = { type: 'joined', epoch: 'e1', user_id: 'c', username: 'carol', date_ms: 1 };
  server.open[0].queue.push({ ...event, thread_id: 'g', seq: 4 }, { ...event, thread_id: 'a', seq: 1 });
  await deliver();
  await until(() => client.thread('g').title === 'bob, carol, me');
  assert.deepEqual([client.thread('g').seq, requests.filter(([, path]) => path === '/v1/threads/g').length], [4, 1]);
});

test('a suspended user learns why and until when, on an open socket and at the start', async (context) => {
  const error = { code: 'suspended', message: 'suspended', until_ms: 5, reason: 'spam' };
  let isSuspended = false;
  const rest = (method, path) => (isSuspended && path === '/v1/me' ? { status: 403, body: { error } } : undefined);
  const { client, server } = clientOf(context, {}, rest);
  await client.ready;
  assert.equal(client.suspension, null);
  isSuspended = true;
  server.open[0].end(4003, 'this account is suspended');
  await until(() => client.suspension?.reason);
  assert.deepEqual([client.state, client.suspension], ['stopped', { untilMs: 5, reason: 'spam' }]);
  const other = clientOf(context, {}, rest);
  await assert.rejects(other.client.ready, ({ code, suspension }) => code === 'suspended' && suspension.untilMs === 5 && suspension.reason === 'spam');
});

test('a server that cannot be reached is asked again, until the client is closed', async (context) => {
  let count = 0;
  const { client } = clientOf(context, {}, () => { count += 1; return { status: 503 }; });
  await until(() => count >= 2);
  client.close();
  await assert.rejects(client.ready);
});

test('a message that arrives is live unless it was missed, is the user’s own, or of a blocked user', async (context) => {
  const { client, server, deliver } = clientOf(context);
  await client.ready;
  await deliver();
  const seen = { message: [], live: [] };
  for (const event of ['message', 'live']) client.on(event, ({ text }) => seen[event].push(text));
  const [socket] = server.open;
  socket.queue.push({ type: 'blocks', blocks: ['y'] });
  for (const [sender, text] of [['x', 'one'], ['me', 'two'], ['y', 'three']]) server.append(sender, text);
  await deliver();
  server.append('x', 'missed');
  // The answer to `resume` follows what was missed.
  socket.receive({ type: 'hello', user: { id: 'me' }, threads: [server.thread], ping_interval_ms: 25_000, blocks: [] });
  await deliver();
  server.append('x', 'four');
  await deliver();
  assert.deepEqual(seen, { message: ['one', 'two', 'three', 'missed', 'four'], live: ['one', 'four'] });
});

test('members are loaded page by page, with what they have read', async (context) => {
  const pages = [{ members: [{ user: { id: 'x', username: 'x' }, role: 'member', read_seq: 2, read_ms: 3_000 }], next_cursor: 'c' }, { members: [{ user: { id: 'me', username: 'Me' }, role: 'owner', read_seq: 1 }] }];
  const { client, requests, deliver } = clientOf(context, {}, (method, path) => (path.includes('/members?') ? { body: pages.shift() } : undefined));
  await client.ready;
  await deliver();
  const members = await client.members('a');
  assert.deepEqual(members.map(({ user }) => user.id), ['x', 'me']);
  assert.deepEqual(client.thread('a').readers, { x: { seq: 2, date: 3 } });
  assert.deepEqual(requests.slice(-2).map(([, path]) => path), ['/v1/threads/a/members?limit=200', '/v1/threads/a/members?cursor=c&limit=200']);
});

test('a file with the size of its picture is in the outbox, and readable until it is sent', async (context) => {
  const stored = new FakeDatabase((value) => value);
  stored.close = () => {};
  const { client, deliver } = clientOf(context, { storage: { open: async () => stored } }, (method, path) => (path === '/v1/attachments' && method === 'POST' ? { status: 503 } : undefined));
  await client.ready;
  const blob = new Blob(['picture']);
  const { id } = client.send('a', '', { files: [{ blob, name: 'p.png', type: 'image/png', width: 4, height: 3 }] });
  await deliver();
  const [{ files: [file] }] = client.outbox;
  assert.deepEqual([file.name, file.type, file.size, file.width, file.height], ['p.png', 'image/png', 7, 4, 3]);
  assert.equal(await client.file(id, 0), blob);
  assert.equal(await client.file(id, 1), null);
});
