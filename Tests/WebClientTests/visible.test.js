import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visible } from '../../Sources/CWebClient/files/shared/visible.js';

test('what cannot be seen in a name or a title is shown as a mark', () => {
  const cases = [
    ['alice\u3164', 'alice‹U+3164›'], ['ann\u200b', 'ann‹U+200B›'], ['evil\u202etxt', 'evil‹U+202E›txt'], ['\u2800', '‹U+2800›'],
    ['\u{1d159}', '‹U+1D159›'], ['\ufdd0', '‹U+FDD0›'], ['a\u200db', 'a‹U+200D›b'], ['ann\ufe0f', 'ann‹U+FE0F›'],
    ['1\ufe0f', '1‹U+FE0F›'], ['\ufeffx', '‹U+FEFF›x'], ['a\u{e0061}\u{e007f}', 'a‹U+E0061›‹U+E007F›'], ['so\xadft', 'so‹U+00AD›ft'],
  ];
  for (const [name, shown] of cases) assert.equal(visible(name), shown);
});

test('joiners and selectors that emoji and scripts need are left alone', () => {
  const names = [
    '', 'Tea', 'Zo\u00eb', '\u65e5\u672c', '\u{1f469}\u200d\u{1f680}', '\u2764\ufe0f', '1\ufe0f\u20e3',
    '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', '\u0645\u06cc\u200c\u062e\u0648',
    '\u0915\u094d\u200d\u0937', '\u845b\u{e0100}', '\u{1f3f3}\ufe0f\u200d\u{1f308}',
  ];
  for (const name of names) assert.equal(visible(name), name);
});

test('a name that is missing stays missing', () => {
  assert.deepEqual([undefined, null].map(visible), [undefined, null]);
});
