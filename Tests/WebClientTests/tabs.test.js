import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tabsOf } from './support/tabs.js';

const ME = { id: 'me', username: 'me' };

test('one tab leads and has the connection, and the next one takes over', async (context) => {
  const { scheduler, server, device, open } = tabsOf(context);
  const [first, second] = [await open(), await open()];
  assert.deepEqual([first.client.isLeader, second.client.isLeader, server.accepted], [true, false, 1]);
  device.kill(first.process);
  for (const link of server.open) link.cut(true);
  await scheduler.pass(10_000);
  assert.deepEqual([second.client.isLeader, second.client.state], [true, 'open']);
});

test('the users that a tab watches are watched by the next leading tab too', async (context) => {
  const { scheduler, server, device, sent, open } = tabsOf(context);
  const [first, second, third] = [await open(), await open(), await open()];
  const watched = () => sent.filter(({ watch }) => watch).at(-1)?.watch.users.sort();
  await scheduler.run(second.process, () => { second.client.watch(['bob']); });
  await scheduler.run(third.process, () => { third.client.watch(['carol']); });
  await scheduler.pass(1_000);
  assert.deepEqual(watched(), ['bob', 'carol']);
  sent.length = 0;
  device.kill(first.process);
  for (const link of server.open) link.cut(true);
  await scheduler.pass(10_000);
  assert.deepEqual(watched(), ['bob', 'carol']);
});

test('a client that knows its user shows what is stored before any connection, in each tab', async (context) => {
  const { scheduler, server, device, open } = tabsOf(context, { user: ME });
  const first = await open();
  await scheduler.run(first.process, () => {
    const messages = first.client.messages('a');
    messages.subscribe(() => {});
    first.client.send('a', 'hello');
  });
  await scheduler.pass(10_000);
  device.kill(first.process);
  for (const link of server.open) link.cut(true);
  server.isDown = true;
  for (const tab of [await open(), await open()]) {
    assert.deepEqual([tab.client.isLoaded, tab.client.state, tab.client.threads.map(({ id }) => id).sort()], [true, 'connecting', ['a', 'b']]);
    const view = tab.client.conversations();
    await scheduler.run(tab.process, () => {
      view.open('a');
      view.sync('a');
    });
    await scheduler.pass(1_000);
    assert.deepEqual(view.timeline.rows.map(({ text }) => text), ['hello']);
  }
});

test('a client whose connection belongs to another user says that the session has ended', async (context) => {
  const { open } = tabsOf(context, { user: { id: 'other', username: 'other' } });
  const { client, ends } = await open();
  assert.deepEqual([ends, client.isLoaded, client.threads], [1, true, []]);
});
