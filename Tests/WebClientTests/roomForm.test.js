import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { changeable, changesOf, errorsIn, factsOf, failureOf, isManager, LIMITS, PAUSES, pausesWith, RIGHTS, valuesOf } from '../../Sources/CWebClient/files/app/roomForm.js';
import { english } from '../../Sources/CWebClient/files/shared/english.js';
import { R, ROOM_STRINGS } from '../../Sources/CWebClient/files/shared/roomStrings.js';

const ROLES = ['owner', 'moderator', 'member', 'read_only'];
const room = (fields) => ({ id: 'a', title: 'Garden', kind: 'room', role: 'owner', visibility: 'public', history: 'all', ...fields });
const ALL = changeable(room());
/** The values of a room, with some of them changed. */
const edited = (thread, changes) => ({ ...valuesOf(thread), ...changes });
const body = (thread, changes) => changesOf(valuesOf(thread), edited(thread, changes), changeable(thread));

test('an owner changes everything, a moderator the texts and slow mode, the others nothing', () => {
  const texts = ['topic', 'description', 'rules', 'slow'];
  const byRole = ROLES.map((role) => changeable(room({ role })));
  assert.deepEqual(byRole, [['title', 'visibility', 'history', 'write', 'attach', 'mention', 'add', ...texts], texts, [], []]);
  assert.deepEqual(changeable(room({ kind: 'group' })), ALL.filter((name) => name !== 'visibility'));
  assert.deepEqual(ROLES.map(isManager), [true, true, false, false]);
});

test('the fields of each role are those of the table of rights', () => {
  const rows = readFileSync(new URL('../../docs/rights.md', import.meta.url), 'utf8').split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const roles = rows.find((cells) => cells.includes('moderator'));
  const mayChange = (what, role) => rows.find(([, call]) => call === `\`PATCH /v1/threads/{id}\`${what}`)[roles.indexOf(role)] === 'yes';
  const fields = [['', 'title'], [', the visibility', 'visibility'], [', the history', 'history'], [', the topic', 'topic'], [', the rights', 'write']];
  for (const role of ROLES) {
    for (const [what, name] of fields) assert.equal(changeable(room({ role })).includes(name), mayChange(what, role), `${name} by ${role}`);
  }
});

test('a field that the server leaves out has its default', () => {
  assert.deepEqual(valuesOf(room()), { title: 'Garden', topic: '', description: '', rules: '', visibility: 'public', history: 'all', slow: '0', ...RIGHTS });
  const values = valuesOf(room({ topic: 'Planting', slow_mode_seconds: 30, rights: { write: 'moderators', attach: 'everyone', mention: 'everyone', add: 'everyone' } }));
  assert.deepEqual([values.topic, values.slow, values.write, values.add], ['Planting', '30', 'moderators', 'everyone']);
});

test('a call has the changed fields only, and is not made without one', () => {
  const known = room({ topic: 'Planting', rules: 'Be kind.', slow_mode_seconds: 30 });
  assert.equal(body(known, {}), null);
  assert.equal(body(known, { topic: ' Planting ', rules: 'Be kind.\n' }), null);
  assert.deepEqual(body(known, { topic: ' Seeds ', slow: '60' }), { topic: 'Seeds', slow_mode_seconds: 60 });
  assert.deepEqual(body(known, { topic: '', rules: ' ', slow: '0' }), { topic: '', rules: '', slow_mode_seconds: 0 });
  assert.deepEqual(body(known, { write: 'moderators', add: 'everyone' }), { rights: { write: 'moderators', add: 'everyone' } });
  assert.deepEqual(body(known, { title: 'Tea', visibility: 'private', history: 'since_joining', description: 'a\nb', attach: 'moderators' }),
    { title: 'Tea', visibility: 'private', history: 'since_joining', description: 'a\nb', rights: { attach: 'moderators' } });
});

test('a moderator sends no field of the owner, whatever the form has', () => {
  const known = room({ role: 'moderator' });
  assert.deepEqual(body(known, { title: 'Tea', visibility: 'private', write: 'moderators', topic: 'Seeds' }), { topic: 'Seeds' });
  assert.deepEqual(errorsIn(edited(known, { title: '' }), changeable(known)), {});
});

test('texts that are too long are told by field before the call, counted as the server counts them', () => {
  for (const [name, limit] of Object.entries(LIMITS)) {
    assert.deepEqual(errorsIn(edited(room(), { [name]: ` ${'🌱'.repeat(limit)} ` }), ALL), {}, name);
    assert.deepEqual(errorsIn(edited(room(), { [name]: 'x'.repeat(limit + 2) }), ALL), { [name]: `2 characters too many; at most ${limit} are possible.` });
  }
  assert.deepEqual(errorsIn(edited(room(), { title: ' ', topic: 'x'.repeat(251) }), ALL), { title: english.errors.titleInvalid, topic: '1 character too many; at most 250 are possible.' });
});

test('a refused call is explained at its field, in words that are not those for developers', () => {
  const bad = (message) => ({ code: 'bad_request', message });
  const cases = [
    [{ code: 'conflict' }, { title: 'Tea' }, { field: 'title', text: english.errors.titleTaken }],
    [{ code: 'conflict' }, { title: 'Tea', visibility: 'public' }, { field: 'title', text: english.errors.titleTaken }],
    [{ code: 'conflict' }, { visibility: 'public' }, { field: 'visibility', text: R.titleTaken }],
    [bad('title contains a control character, which is not allowed'), { title: 'x' }, { field: 'title', text: english.errors.titleInvalid }],
    [bad('topic contains a control of text direction, which is not allowed'), { topic: 'x' }, { field: 'topic', text: R.unseen }],
    [{ code: 'too_large', message: 'rules has more than 4000 characters' }, { rules: 'x' }, { field: 'rules', text: R.longest(4000) }],
    [bad('slow_mode_seconds must be in the range 0...21600'), { slow_mode_seconds: 1 }, { field: 'slow', text: english.errors.bad_request }],
    [bad('write is unknown; allowed are everyone and moderators'), {}, { field: 'write', text: english.errors.bad_request }],
    [bad('a group is always private'), {}, { text: english.errors.bad_request }],
    [{ code: 'forbidden', message: 'topic' }, {}, { text: R.forbidden }],
    [{ code: 'rate_limited', message: 'rate limit' }, {}, { text: english.errors.rate_limited }],
    [{ code: 'no_connection' }, {}, { text: english.errors.no_connection }],
    [new Error('made by the page'), {}, { text: 'made by the page' }],
  ];
  for (const [error, fields, expected] of cases) assert.deepEqual(failureOf(error, fields), expected, error.message);
});

test('the pauses to choose from include one that another client has set', () => {
  assert.deepEqual(pausesWith('30'), PAUSES);
  assert.deepEqual(pausesWith('45').slice(3, 6), [30, 45, 60]);
  assert.deepEqual(PAUSES.slice(1).map(R.pause), ['5 seconds', '10 seconds', '30 seconds', '1 minute', '5 minutes', '15 minutes', '1 hour', '6 hours']);
  assert.deepEqual([1, 90, 120, 7200].map(ROOM_STRINGS.de.pause), ['1 Sekunde', '90 Sekunden', '2 Minuten', '2 Stunden']);
});

test('members read what is not as usual', () => {
  assert.deepEqual(factsOf(valuesOf(room())), []);
  const rights = { write: 'moderators', attach: 'everyone', mention: 'everyone', add: 'everyone' };
  assert.deepEqual(factsOf(valuesOf(room({ rights, slow_mode_seconds: 60 }))), [R.facts.write, R.facts.add, 'Slow mode: one message in 1 minute.']);
});

test('every text of the dialog exists in both languages', () => {
  const shape = (entry) => (typeof entry === 'object' ? Object.fromEntries(Object.entries(entry).map(([name, each]) => [name, shape(each)])) : `${typeof entry} ${entry.length * (typeof entry === 'function')}`);
  const { en, de } = ROOM_STRINGS;
  assert.deepEqual(shape(de), shape(en));
  assert.deepEqual(Object.keys(en).filter((name) => typeof en[name] === 'string' && en[name] === de[name]), []);
  for (const { right, facts } of [en, de]) assert.deepEqual([Object.keys(right), Object.keys(facts)], Array(2).fill(Object.keys(RIGHTS)));
});
