import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fromMarkdown, slug } from '../../Sources/CWebClient/files/docs/markdown.js';

const cases = [
  ['headings and paragraphs', '# A `b`\n\ntwo\nlines', [['h1', { id: 'a-b' }, 'A ', ['code', {}, 'b']], ['p', {}, 'two lines']]],
  ['lists', '- one\n  more\n- [x](#y)\n\n1. z', [
    ['ul', {}, ['li', {}, 'one more'], ['li', {}, ['a', { href: '#y' }, 'x']]], ['ol', {}, ['li', {}, 'z']],
  ]],
  ['code', '```json\n{"a": "<b>"}\n```', [['pre', {}, ['code', {}, '{"a": "<b>"}']]]],
  ['code without an end', '```\na', [['pre', {}, ['code', {}, 'a']]]],
  ['marks, and links to other files', '**bold `c`** [file](../x.md)', [['p', {}, ['strong', {}, 'bold ', ['code', {}, 'c']], ' ', 'file']]],
  ['links that are no addresses of the web', '[x](javascript:alert)', [['p', {}, 'x']]],
  ['tables', '| a |\n|---|\n| `b\\|c` |', [
    ['div', { class: 'scroll' }, ['table', {}, ['thead', {}, ['tr', {}, ['th', { scope: 'col' }, 'a']]],
      ['tbody', {}, ['tr', {}, ['td', {}, ['code', {}, 'b|c']]]]]],
  ]],
  ['comments', '<!-- mark: a -->\n```sh\nls\n```', [['pre', {}, ['code', {}, 'ls']]]],
  ['an empty document', '\n\n', []],
];

for (const [name, text, tree] of cases) {
  test(`reads Markdown as a tree, in which text stays text: ${name}`, () => assert.deepEqual(fromMarkdown(text), tree));
}

test('headings have the ids that GitHub gives them', () => {
  assert.deepEqual(['Close codes', 'The `v1` dialect, in short', 'A_b-c'].map(slug), ['close-codes', 'the-v1-dialect-in-short', 'a_b-c']);
});

test('every word of the protocol is in its tree', () => {
  const text = readFileSync(new URL('../../docs/PROTOCOL.md', import.meta.url), 'utf8');
  const textOf = (node) => (typeof node === 'string' ? node : node.slice(2).map(textOf).join(' '));
  const words = (each) => new Set(each.match(/[\p{L}\p{N}]{4,}/gu));
  const shown = words(fromMarkdown(text).map(textOf).join(' '));
  // Targets of links and the languages of code are not shown.
  const wanted = text.replace(/\]\([^)]*\)/g, ']').replace(/^```\w+/gm, '```');
  assert.deepEqual([...words(wanted)].filter((word) => !shown.has(word)), []);
});
