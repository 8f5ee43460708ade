import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Invitations } from '../../Sources/CWebClient/files/app/invitations.js';
import { settled } from './support/globals.js';

/** Invitations of a server whose answers the test gives. */
function waiting() {
  const answers = [];
  let changes = 0;
  const invitations = new Invitations(() => new Promise((resolve, reject) => { answers.push({ resolve, reject }); }), () => { changes += 1; });
  return { invitations, answers, changes: () => changes };
}

const to = (id, until) => ({ thread: { id, title: id }, ...(until && { until_ms: until }) });
const ids = (invitations, now) => invitations.current(now).map(({ thread }) => thread.id);

test('what was told during a request is asked for once more, however often it was told', async () => {
  const { invitations, answers } = waiting();
  invitations.load();
  for (let time = 0; time < 3; time += 1) invitations.told({ type: 'entrances' });
  assert.equal(answers.length, 1);
  answers[0].resolve([to('a')]);
  await settled();
  assert.equal(answers.length, 2);
  answers[1].resolve([to('b')]);
  await settled();
  assert.deepEqual([ids(invitations), answers.length], [['b'], 2]);
});

test('a request that fails keeps what is known, and the next one counts', async () => {
  const { invitations, answers } = waiting();
  invitations.load();
  answers[0].resolve([to('a')]);
  await settled();
  invitations.load();
  answers[1].reject(new Error());
  await settled();
  assert.deepEqual(ids(invitations), ['a']);
  invitations.load();
  answers[2].resolve(undefined);
  await settled();
  assert.deepEqual(ids(invitations), []);
});

test('an invitation that is answered or has expired is not shown', async () => {
  const { invitations, answers, changes } = waiting();
  invitations.load();
  answers[0].resolve([to('a'), to('b', 10), to('c', 20)]);
  await settled();
  assert.deepEqual([ids(invitations, 9), ids(invitations, 10)], [['a', 'b', 'c'], ['a', 'c']]);
  const before = changes();
  invitations.answered('a');
  assert.deepEqual([ids(invitations, 10), changes()], [['c'], before + 1]);
});

test('news of a thread is for its dialog alone, until that is closed', () => {
  const { invitations, answers } = waiting();
  const told = [];
  const stop = invitations.subscribe((id) => told.push(id));
  invitations.told({ type: 'entrances', thread_id: 'a' });
  stop();
  invitations.told({ type: 'entrances', thread_id: 'b' });
  assert.deepEqual([told, answers.length], [['a'], 0]);
});
