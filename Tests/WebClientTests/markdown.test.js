import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocks, mentions, pieces, plain } from '../../Sources/CWebClient/files/app/markdown.js';

const styles = ({ text, ...style }) =>
  `${Object.entries(style).map(([name, value]) => name[0] + (value === true ? '' : `=${value}`)).join('+')}:${text}`;

test('marks of emphasis, code and links become pieces, and nothing else does', () => {
  const cases = [
    ['**a** b', 'b:a|: b'], ['*a* and _b_', 'i:a|: and |i:b'], ['~~a~~', 's:a'], ['`**a**`', 'c:**a**'],
    ['[x](https://a.example/b)', 'h=https://a.example/b:x'], ['2 * 3 * 4', ':2 * 3 * 4'], ['a_b_c', ':a_b_c'], ['** a **', ':** a **'],
    ['**a *b* c**', 'b:a |b+i:b|b: c'], ['<b>x</b>', ':<b>x</b>'], ['[x](javascript:alert(1))', ':[x](javascript:alert(1))'],
    ['javascript:alert(1)', ':javascript:alert(1)'], ['@bob hi', 'm=bob:@bob|: hi'], ['a@b.example', ':a@b.example'],
  ];
  for (const [text, found] of cases) assert.equal(pieces(text).map(styles).join('|'), found);
});

test('only http and https become links, without the punctuation after them', () => {
  const cases = [
    ['see https://a.example/b?c=1.', 'see [https://a.example/b?c=1].'], ['(http://x.example)', '([http://x.example])'],
    ['https://', 'https://'], ['**https://a.example**', '[https://a.example]'],
  ];
  for (const [text, found] of cases) assert.equal(pieces(text).map((piece) => (piece.href ? `[${piece.href}]` : piece.text)).join(''), found);
});

test('an address is no link to another host', () => {
  const cases = [
    ['[https://a.example](https://b.example/)', '[https://a.example](<https://b.example/>)'],
    ['[see www.a.example/x](https://b.example)', '[see www.a.example/x](<https://b.example>)'],
    ['[https://A.example/x](https://a.example/y)', '<https://A.example/x>'], ['[README.md](https://b.example)', '<README.md>'],
  ];
  for (const [text, found] of cases) assert.equal(pieces(text).map((piece) => (piece.href ? `<${piece.text}>` : piece.text)).join(''), found);
});

test('lines become blocks', () => {
  const cases = [
    ['a\nb', 'text'], ['```\n*x*\n```\nafter', 'code,text'], ['> q\n> > r\ntext', 'quote,text'], ['- a\n- b', 'list'], ['```\nopen', 'text'],
    ['>'.repeat(50), 'quote'],
  ];
  for (const [text, found] of cases) assert.equal(blocks(text).map((block) => block.type).join(), found);
});

test('a preview has the words without the marks', () => {
  assert.deepEqual(['a **b** `c`', '- x\n- y', '> q\nz', '', '<b>'].map(plain), ['a b c', 'x, y', 'q z', '', '<b>']);
});

test('a long text of marks takes no time', () => {
  const begin = performance.now();
  for (const mark of ['*', '_', '~~', '`', '[', '> ', '@', '**a', '[a](https://']) blocks(mark.repeat(4096 / mark.length));
  assert.ok(performance.now() - begin < 2000);
});

/** Every text that a block shows. */
const shown = (all) => all.flatMap((block) => block.text ?? block.blocks?.flatMap((each) => shown([each]))
  ?? (block.items ?? [block.pieces]).flat().map((piece) => piece.text)).join('');

test('no letter is lost or made up, whatever marks stand between', () => {
  const parts = ['*', '**', '_', '~~', '`', '```', '[', '](https://a.example)', '> ', '- ', '\n', '@', ' ', 'a', '👍', 'https://b.example/'];
  let state = 7;
  const next = () => { state = (state * 48_271) % 2_147_483_647; return parts[state % parts.length]; };
  for (let count = 0; count < 3_000; count += 1) {
    const text = Array.from({ length: 12 }, next).join('');
    // Texts of links are shown instead of their addresses, so only letters outside of addresses are compared.
    const letters = (each) => each.replace(/https?:\/\/[ab]\.example\/?/g, '').replace(/[^a👍]/gu, '');
    assert.equal(letters(shown(blocks(text))), letters(text), JSON.stringify(text));
  }
});

test('quotes and marks end at a depth of four; deeper ones stay text', () => {
  const depthOf = (block) => (block.type === 'quote' ? 1 + Math.max(0, ...block.blocks.map(depthOf)) : 0);
  assert.equal(depthOf(blocks(`${'> '.repeat(9)}x`)[0]), 4);
  assert.deepEqual(pieces('**a *b ~~c~~ b* a**').map(styles), ['b:a ', 'b+i:b ', 'b+i+s:c', 'b+i: b', 'b: a']);
});

test('a mention is of the whole name, in any case, and not in code', () => {
  assert.deepEqual(['hi @Bob', '@bobby', '`@bob`', '```\n@bob\n```', '- @bob', '@bob.', 'x@bob'].map((text) => mentions(text, 'bob')),
    [true, false, false, false, true, true, false]);
});

test('a mention in a quote is one of somebody else', () => {
  assert.equal(mentions('> @bob', 'bob'), false);
});
