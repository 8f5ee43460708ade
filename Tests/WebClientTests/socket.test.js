import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MILLISECONDS } from '../../Sources/CWebClient/files/client/policy.js';
import { Connection } from '../../Sources/CWebClient/files/client/socket.js';
import { frames, golden } from './support/fixtures.js';
import { replaceGlobal, settled } from './support/globals.js';
import { FakeClock, FakeSockets, hello } from './support/socket.js';

/** A connection, the sockets that it opens, what it has reported, and a clock that the test moves. */
function connected(context, handlers = {}) {
  const replace = (name, value) => replaceGlobal(context, name, value);
  const sockets = new FakeSockets();
  const clock = new FakeClock(replace);
  replace('WebSocket', sockets.WebSocket);
  context.mock.method(Math, 'random', () => 0.5);
  const seen = { states: [], frames: [], isSignedOut: false, probes: 0 };
  const connection = new Connection('ws://server/chat', {
    onState: () => seen.states.push(connection.state), onHello: () => ({ a: { epoch: 'e1', seq: 4 } }), onFrame: (frame) => seen.frames.push(frame),
    onSignedOut: () => { seen.isSignedOut = true; },
    probe: async () => {
      seen.probes += 1;
      return { isSignedOut: false, retryAfter: 0 };
    },
    ...handlers,
  });
  connection.start();
  const open = (fields) => sockets.last.receive(hello(fields));
  return { connection, sockets, clock, seen, open };
}

/** What a command resolves to, or the code of its error. */
const outcome = (command) => command.then((frame) => frame, ({ code }) => code);

test('after hello the first command is a resume with the positions', (context) => {
  const { connection, sockets, open } = connected(context);
  assert.equal(connection.state, 'connecting');
  open();
  assert.equal(connection.state, 'open');
  assert.deepEqual(sockets.last.sent, [{ resume: { threads: { a: { epoch: 'e1', seq: 4 } } }, ref: 1 }]);
  assert.equal(sockets.last.dialect, 'parley.v1');
});

test('every golden frame of the server is taken without an error', (context) => {
  const { connection, sockets, open, seen } = connected(context);
  open();
  const received = Object.values(frames).filter(({ direction, frame }) => direction === 'server' && !['hello', 'bye'].includes(frame.type));
  sockets.last.receive(...received.map(({ frame: { ref, ...frame } }) => frame));
  assert.equal(connection.state, 'open');
  assert.ok(seen.frames.length > 30);
});

test('what is no JSON is ignored', (context) => {
  const { connection, sockets, open } = connected(context);
  open();
  for (const data of ['', '{', 'nul', '\u0000']) sockets.last.onmessage({ data });
  assert.equal(connection.state, 'open');
});

test('a command has the answer with its number; one without a connection is cut off', async (context) => {
  const { connection, sockets, open } = connected(context);
  assert.equal(await outcome(connection.command({ ping: 1 })), 'disconnected');
  open();
  const answers = [outcome(connection.command({ history: { id: 'a' } })), outcome(connection.command({ history: { id: 'b' } }))];
  const [first, second] = sockets.last.sent.slice(-2).map(({ ref }) => ref);
  sockets.last.receive({ type: 'page', ref: second, events: [] }, { type: 'error', ref: first, code: 'not_found', message: '' });
  assert.deepEqual(await Promise.all(answers), ['not_found', { type: 'page', ref: second, events: [] }]);
});

test('a send has two answers, and is cut off only before the first', async (context) => {
  const { connection, sockets, open } = connected(context);
  open();
  const stored = [];
  const send = () => outcome(connection.command({ message: { id: 'a' } }, (frame) => stored.push(frame.ref)));
  const [first, second, third] = [send(), send(), send()];
  const [one, two] = sockets.last.sent.slice(-3).map(({ ref }) => ref);
  sockets.last.receive({ type: 'ack', level: 'accepted', ref: one }, { type: 'ack', level: 'stored', ref: one }, { type: 'ack', level: 'accepted', ref: two });
  sockets.last.end(1006);
  assert.deepEqual([(await first).level, (await second).level, await third], ['accepted', 'accepted', 'disconnected']);
  assert.deepEqual(stored, [one]);
});

test('a resume that is refused ends the replay all the same', (context) => {
  const { sockets, open, seen } = connected(context);
  open();
  sockets.last.receive({ type: 'error', ref: 1, code: 'late', message: '' });
  assert.deepEqual(seen.frames, [{ type: 'resumed', threads: {} }]);
});

test('a close code that signs out or stops opens no other socket', async (context) => {
  for (const [code, state] of [[4001, 'off'], [4002, 'stopped']]) {
    const { connection, sockets, clock, open, seen } = connected(context);
    open();
    sockets.last.end(code, 'Because');
    await clock.advance(600_000);
    assert.deepEqual([connection.state, sockets.all.length, seen.isSignedOut], [state, 1, code === 4001]);
    if (code === 4002) assert.equal(connection.stopReason, 'Because');
  }
});

test('failures in a row wait longer and longer, and a connection that lasted ends their count', async (context) => {
  const { sockets, clock, open } = connected(context);
  const waits = [];
  const cut = async (lasted) => {
    open();
    await clock.advance(lasted);
    sockets.last.end(1006);
    await settled();
    waits.push(clock.delays.at(-1));
    await clock.advance(clock.delays.at(-1));
  };
  for (const lasted of [0, 0, 0, MILLISECONDS.stableAfter - 1, MILLISECONDS.stableAfter]) await cut(lasted);
  assert.deepEqual(waits, [250, 500, 1000, 2000, 250]);
});

test('a socket that is refused asks over HTTP whether the session has ended, and waits as long as the server says', async (context) => {
  const answers = [{ isSignedOut: false, retryAfter: 7_000 }, { isSignedOut: true, retryAfter: 0 }];
  const { connection, sockets, clock, seen } = connected(context, { probe: async () => answers.shift() });
  sockets.last.end(1006);
  await settled();
  assert.deepEqual(clock.delays, [7_250]);
  await clock.advance(7_250);
  sockets.last.end(1006);
  await settled();
  assert.deepEqual([connection.state, seen.isSignedOut, sockets.all.length], ['off', true, 2]);
});

test('a connection that is stopped during that question stays off', async (context) => {
  let answer;
  const { connection, sockets, clock } = connected(context, { probe: () => new Promise((resolve) => { answer = resolve; }) });
  sockets.last.end(1006);
  connection.stop();
  answer({ isSignedOut: false, retryAfter: 0 });
  await settled();
  await clock.advance(60_000);
  assert.deepEqual([connection.state, sockets.all.length], ['off', 1]);
});

test('an attempt that takes too long is given up', async (context) => {
  const { sockets, clock } = connected(context);
  await clock.advance(MILLISECONDS.handshake - 1);
  assert.equal(sockets.last.isClosed, false);
  await clock.advance(1);
  assert.equal(sockets.last.isClosed, true);
});

test('a server that is about to go is left at the announced moment, with its ticket', async (context) => {
  const { connection, sockets, clock, open } = connected(context);
  open();
  sockets.last.receive({ type: 'bye', reconnect_after_ms: 3_000, ticket: 't&1' });
  assert.equal(await Promise.race([outcome(connection.command({ ping: 1 })), settled().then(() => 'waits')]), 'waits', 'everything goes on');
  await clock.advance(2_000);
  sockets.last.end(4200);
  await clock.advance(999);
  assert.equal(sockets.all.length, 1);
  await clock.advance(1);
  assert.equal(sockets.last.url, 'ws://server/chat?ticket=t%261');
  open();
  sockets.last.end(1006);
  await clock.advance(60_000);
  assert.equal(sockets.last.url, 'ws://server/chat', 'a ticket is used once');
});

test('a server that is about to go and does not is left a moment later', async (context) => {
  const { sockets, clock, open } = connected(context);
  open();
  sockets.last.receive({ ...golden('bye'), reconnect_after_ms: 0 });
  await clock.advance(MILLISECONDS.byeGrace);
  assert.deepEqual([sockets.all.length, sockets.all[0].isClosed], [2, true]);
});

test('a ticket is not used when it is old, or when the credentials have expired', async (context) => {
  for (const [wait, code] of [[MILLISECONDS.ticketLifetime, 4200], [0, 4100]]) {
    const { sockets, clock, open } = connected(context);
    open();
    sockets.last.receive({ type: 'bye', reconnect_after_ms: 600_000, ticket: 't' });
    // Silence would end the connection before.
    for (let passed = 0; passed < wait; passed += 5_000) {
      sockets.last.receive({ type: 'typing' });
      await clock.advance(5_000);
    }
    sockets.all[0].end(code);
    await settled();
    await clock.advance(600_000);
    assert.equal(sockets.all[1].url, 'ws://server/chat', `${code}`);
  }
});

test('silence is broken by a ping, and a ping without an answer ends the connection', async (context) => {
  const { connection, sockets, clock, open } = connected(context);
  open();
  await clock.advance(25_000);
  assert.equal(sockets.last.sent.length, 1);
  await clock.advance(5_000);
  assert.deepEqual(Object.keys(sockets.last.sent[1]), ['ping', 'ref']);
  await clock.advance(10_000);
  assert.equal(connection.state, 'open');
  await clock.advance(5_000);
  assert.deepEqual([connection.state, sockets.all[0].isClosed], ['connecting', true]);
});

test('a ping whose answer is long in coming does not end a connection on which something has arrived since', async (context) => {
  const { connection, sockets, clock, open } = connected(context);
  open();
  await clock.advance(30_000);
  assert.ok(sockets.last.sent.at(-1).ping);
  await clock.advance(1_000);
  sockets.last.receive({ type: 'typing' });
  await clock.advance(MILLISECONDS.pong + 5_000);
  assert.equal(connection.state, 'open');
});

test('an answer that is long in coming does not end a connection on which anything arrives', async (context) => {
  const { connection, sockets, clock, open } = connected(context);
  open();
  connection.command({ history: { id: 'a' } }).catch(() => {});
  for (let passed = 0; passed < 60_000; passed += 10_000) {
    sockets.last.receive({ type: 'typing' });
    await clock.advance(10_000);
  }
  assert.equal(connection.state, 'open');
  await clock.advance(MILLISECONDS.answer + 5_000);
  assert.equal(connection.state, 'connecting');
});

test('frames of a socket that was given up are ignored', async (context) => {
  const { connection, sockets, open, seen } = connected(context);
  open();
  const [first] = sockets.all;
  connection.start();
  first.receive({ type: 'typing' });
  first.end(4001);
  assert.deepEqual([seen.frames, seen.isSignedOut, connection.state], [[], false, 'connecting']);
});

test('a wait ends at once when the network is back, but not the one that a server has announced', async (context) => {
  const { connection, sockets, clock, open } = connected(context);
  open();
  sockets.last.end(1013);
  await settled();
  connection.wake();
  assert.equal(sockets.all.length, 2);
  open();
  sockets.last.receive({ type: 'bye', reconnect_after_ms: 9_000 });
  connection.wake();
  await clock.advance(0);
  assert.equal(sockets.all.length, 2);
});

for (const [status, state] of [[403, 'stopped'], [503, 'connecting']]) {
  test(`a handshake that is refused with ${status} leads to ${state}, if the socket reveals the status`, async (context) => {
    const sockets = new FakeSockets((socket) => {
      socket.on = (event, listener) => { socket.refuse = () => listener({}, { statusCode: status }); };
    });
    const { connection } = connected(context, { WebSocket: sockets.WebSocket });
    sockets.last.refuse();
    await settled();
    assert.equal(connection.state, state);
    assert.equal(connection.stopReason, state === 'stopped' ? '403' : '');
  });
}

test('a suspension stops the connection, which then learns its end and its reason', async (context) => {
  const suspension = { untilMs: 5, reason: 'spam' };
  const { connection, sockets, open, seen } = connected(context, { probe: async () => ({ isSignedOut: false, retryAfter: 0, suspension }) });
  open();
  sockets.last.end(4003, 'this account is suspended until then');
  assert.deepEqual([connection.state, connection.stopReason, connection.suspension], ['stopped', 'this account is suspended until then', {}]);
  await settled();
  assert.deepEqual([connection.state, connection.suspension, seen.isSignedOut, sockets.all.length], ['stopped', suspension, false, 1]);
  connection.start();
  assert.deepEqual([connection.state, connection.suspension], ['connecting', null]);
});

test('a socket that is refused because of a suspension stops, and is not repeated', async (context) => {
  const { connection, sockets, clock } = connected(context, { probe: async () => ({ isSignedOut: false, retryAfter: 0, suspension: {} }) });
  sockets.last.end(1006);
  await settled();
  await clock.advance(600_000);
  assert.deepEqual([connection.state, connection.suspension, sockets.all.length], ['stopped', {}, 1]);
});

test('a suspension that has ended meanwhile, or is not known, leaves the connection stopped', async (context) => {
  const { connection, sockets, open } = connected(context);
  open();
  sockets.last.end(4003, 'suspended');
  await settled();
  assert.deepEqual([connection.state, connection.suspension], ['stopped', {}]);
  connection.start();
  open();
  sockets.last.end(4002, 'bad');
  await settled();
  assert.deepEqual([connection.state, connection.suspension], ['stopped', null]);
});
