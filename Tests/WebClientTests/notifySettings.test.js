import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, isMention, KINDS, LEVELS, notifies, ofThread, pauseOf, PAUSES, Settings, STANDARD, threadChangesOf, valuesOf, wrongIn } from '../../Sources/CWebClient/files/app/notifySettings.js';
import { N, NOTIFY_STRINGS } from '../../Sources/CWebClient/files/shared/notifyStrings.js';

const NOW = Date.UTC(2026, 10, 28, 12, 0);
const HOUR = 3_600_000;
const message = (fields) => ({ threadID: 'lobby', kind: 'room', isMention: false, ...fields });
const settings = (fields) => ({ ...STANDARD, ...fields });
const thread = (fields) => ({ thread_id: 'lobby', level: null, muted_until_ms: null, ...fields });

test('a mention is what the server takes for one', () => {
  const cases = [
    ['hi @bob', true], ['@BOB!', true], ['(@bob)', true], ['@bob.', true], ['@bobby', false], ['a@bob', false], ['@bob_', false], ['@bob2', false], ['bob', false], ['', false],
    ['@all', true], ['see @Everyone: tea', true], ['@here', true], ['@channel', true], ['@allow', false], ['me@here', false], ['@ all', false], ['@äll', false],
  ];
  for (const [text, expected] of cases) assert.equal(isMention(text, 'Bob'), expected, text);
  for (const name of ['a.b+c-d@e_f', 'Ärger', 'x/y']) assert.ok(isMention(`hi @${name} there`, name), name);
  assert.equal(isMention('@axb', 'a.b'), false);
});

test('without settings, every direct or group message notifies, and of a room every mention', () => {
  const results = KINDS.map((kind) => [false, true].map((isMentioned) => notifies(STANDARD, message({ kind, isMention: isMentioned }), NOW)));
  assert.deepEqual(results, [[true, true], [true, true], [false, true]]);
});

test('the level of the thread replaces that of its kind', () => {
  const levels = Object.fromEntries(LEVELS.map((level) => [level, [false, true].map((isMentioned) =>
    notifies(settings({ threads: [thread({ level })] }), message({ isMention: isMentioned }), NOW))]));
  assert.deepEqual(levels, { all: [true, true], mentions: [false, true], none: [false, false] });
  assert.equal(notifies(settings({ threads: [thread({ thread_id: 'other', level: 'all' })] }), message(), NOW), false);
  assert.equal(notifies(settings({ default: { ...STANDARD.default, direct: 'none' } }), message({ kind: 'direct' }), NOW), false);
});

test('a pause ends at its time', () => {
  const mention = message({ isMention: true });
  for (const [until, expected] of [[null, true], [NOW, true], [NOW - 1, true], [NOW + 1, false]]) {
    assert.equal(notifies(settings({ muted_until_ms: until }), mention, NOW), expected);
    assert.equal(notifies(settings({ threads: [thread({ muted_until_ms: until })] }), mention, NOW), expected);
  }
});

test('quiet hours follow the clock of their zone, past midnight and in summer time', () => {
  const quiet = (from, to, timezone = 'Europe/Berlin') => ({ from, to, timezone });
  const at = (hours, month = 10) => Date.UTC(2026, month, 15) + hours * HOUR;
  const cases = [
    [quiet('22:00', '07:00'), at(20.99), true], [quiet('22:00', '07:00'), at(21), false], [quiet('22:00', '07:00'), at(5.99), false], [quiet('22:00', '07:00'), at(6), true],
    [quiet('22:00', '07:00'), at(20, 6), false], [quiet('22:00', '07:00'), at(19.99, 6), true],
    [quiet('13:00', '14:30', 'UTC'), at(13), false], [quiet('13:00', '14:30', 'UTC'), at(14.49), false], [quiet('13:00', '14:30', 'UTC'), at(14.5), true],
    [quiet('00:00', '23:59', 'No/Where'), at(12), true],
  ];
  for (const [hours, now, expected] of cases) assert.equal(notifies(settings({ quiet: hours }), message({ kind: 'direct' }), now), expected, JSON.stringify([hours, new Date(now)]));
});

test('settings are loaded once a minute, and a server without an answer changes nothing', async () => {
  const answers = [settings({ muted_until_ms: 1 }), new Error('away'), settings({ muted_until_ms: 3 })];
  let count = 0;
  const known = new Settings(async () => {
    const answer = answers[count];
    count += 1;
    if (answer instanceof Error) throw answer;
    return answer;
  });
  const seen = [];
  for (const now of [0, 59_999, 60_000, 60_001, 119_999, 120_000]) seen.push((await known.recent(now)).muted_until_ms);
  assert.deepEqual([seen, count], [[1, 1, 1, 1, 1, 3], 3]);
  known.took(settings({ muted_until_ms: 4 }), 130_000);
  assert.equal((await known.recent(180_000)).muted_until_ms, 4);
  await assert.rejects(new Settings(async () => { throw new Error('away'); }).current(0), /away/);
});

test('the form shows the settings, and a call has what was changed', () => {
  const values = valuesOf(STANDARD, 'Europe/Paris', NOW);
  assert.deepEqual(values, { direct: 'all', group: 'all', room: 'mentions', isQuiet: false, from: '22:00', to: '07:00', timezone: 'Europe/Paris', pause: 'none' });
  const changed = (fields, known = STANDARD) => changesOf(known, { ...valuesOf(known, 'Europe/Paris', NOW), ...fields }, NOW);
  assert.equal(changed({}), null);
  assert.equal(changed({ from: '23:00', timezone: 'UTC' }), null);
  assert.deepEqual(changed({ room: 'all', direct: 'none' }), { default: { direct: 'none', room: 'all' } });
  assert.deepEqual(changed({ isQuiet: true, to: '06:30' }), { quiet: { from: '22:00', to: '06:30', timezone: 'Europe/Paris' } });
  assert.deepEqual(changed({ pause: 'hour' }), { muted_until_ms: NOW + HOUR });
  const known = settings({ quiet: { from: '21:00', to: '06:00', timezone: 'UTC' }, muted_until_ms: NOW + 5 });
  assert.equal(changed({}, known), null);
  assert.deepEqual(changed({ isQuiet: false, pause: 'none' }, known), { quiet: null, muted_until_ms: null });
  assert.deepEqual(changed({ timezone: 'Europe/Paris', pause: 'week' }, known), { quiet: { from: '21:00', to: '06:00', timezone: 'Europe/Paris' }, muted_until_ms: NOW + 168 * HOUR });
});

test('quiet hours need two times that differ', () => {
  const wrong = (fields) => wrongIn({ isQuiet: true, from: '22:00', to: '07:00', ...fields });
  assert.deepEqual([wrong({}), wrong({ from: '' }), wrong({ to: '' }), wrong({ to: '22:00' }), wrong({ isQuiet: false, from: '' })], [null, 'from', 'to', 'to', null]);
});

test('a thread has a level of its own, or none, and a pause that may have ended', () => {
  assert.deepEqual([pauseOf(null, NOW), pauseOf(NOW, NOW), pauseOf(NOW + 1, NOW)], ['none', 'none', 'present']);
  assert.deepEqual(ofThread(settings({ threads: [thread({ level: 'all' })] }), 'lobby').level, 'all');
  assert.deepEqual(ofThread(STANDARD, 'lobby'), thread());
  assert.equal(threadChangesOf(thread(), { level: '', pause: 'none' }, NOW), null);
  assert.deepEqual(threadChangesOf(thread(), { level: 'none', pause: 'hours' }, NOW), { level: 'none', muted_until_ms: NOW + 8 * HOUR });
  assert.deepEqual(threadChangesOf(thread({ level: 'all', muted_until_ms: NOW + 1 }), { level: '', pause: 'present' }, NOW), { level: null });
  assert.deepEqual(threadChangesOf(thread({ level: 'all', muted_until_ms: NOW + 1 }), { level: 'all', pause: 'none' }, NOW), { muted_until_ms: null });
});

test('the texts have every choice, in both languages', () => {
  const shape = (entry) => (typeof entry !== 'object' ? typeof entry : Object.fromEntries(Object.entries(entry).map(([name, each]) => [name, shape(each)])));
  assert.deepEqual(shape(NOTIFY_STRINGS.de), shape(NOTIFY_STRINGS.en));
  assert.equal(N, NOTIFY_STRINGS.en);
  assert.deepEqual([N.kinds, N.levels, N.pauses].map(Object.keys), [KINDS, LEVELS, ['none', ...Object.keys(PAUSES)]]);
});
