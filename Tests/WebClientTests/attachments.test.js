import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as attachments from '../../Sources/CWebClient/files/app/attachments.js';

const bytesOf = (text) => Uint8Array.from(text, (each) => each.charCodeAt(0));

test('names are those that the server takes', () => {
  assert.deepEqual(['a/b\\c\n.jpg', '', ' .. '].map(attachments.fileName), ['a_b_c_.jpg', 'File', '..']);
  const long = attachments.fileName(`${'é'.repeat(300)}.jpeg`);
  assert.deepEqual([new TextEncoder().encode(long).length, long.slice(-6)], [255, 'é.jpeg']);
});

test('a name has at most 255 bytes and whole letters, whatever its suffix', () => {
  for (const name of ['👍'.repeat(100), `x.${'y'.repeat(300)}`, `${'👍'.repeat(100)}.${'👍'.repeat(8)}`, 'x'.repeat(255), 'x'.repeat(256), '\uD83D'.repeat(300)]) {
    const taken = attachments.fileName(name);
    const { length } = new TextEncoder().encode(taken);
    assert.ok(length > 240 && length <= 255 && !/\p{Surrogate}/u.test(taken), `${length} bytes`);
  }
});

test('types are those that the server takes', () => {
  const types = ['image/JPEG', 'text/plain', 'text/html; charset=utf-8', '', 'nonsense', 'audio/x-m4a', 'a/b/c', 'application/geo+json', ' image/png ;x'];
  assert.deepEqual(types.map(attachments.fileType), [
    'image/jpeg', 'application/octet-stream', 'text/html', 'application/octet-stream', 'application/octet-stream', 'audio/x-m4a',
    'application/octet-stream', 'application/octet-stream', 'image/png',
  ]);
});

test('what the server would refuse is refused before it is sent, as far as its limits are known', () => {
  const file = (size, type = 'image/png') => ({ name: 'a', type, size });
  const limits = { max_bytes: 2_000_000, types: ['image/*', 'application/pdf'] };
  const problems = [
    [attachments.problemOf(file(2_000_000), limits), null], [attachments.problemOf(file(2_000_001), limits), '“a” is too large'],
    [attachments.problemOf(file(0), limits), '“a” is empty'], [attachments.problemOf(file(1, 'application/pdf'), limits), null],
    [attachments.problemOf(file(1, 'video/mp4'), limits), '“a” is of a type that this server does not take'],
    [attachments.problemOf(file(1), null), 'This server takes no files'], [attachments.problemOf(file(9e9, 'x/y'), undefined), null],
    [attachments.refusalOf({ status: 413, file: file(1) }, '', limits), 'Your files fill the space that the server gives you'],
    [attachments.refusalOf({ status: 413, file: file(3e6) }, '', limits), '“a” is too large'], [attachments.refusalOf({ status: 404, file: file(1) }, '', limits), 'This server takes no files'],
    [attachments.refusalOf({ file: file(1) }, '', limits), '“a” is no longer on this device'],
    [attachments.refusalOf({ status: 400, file: file(1) }, '', limits), '“a” is of a type that this server does not take'], [attachments.refusalOf({ status: 403, file: file(1) }, 'No', limits), 'No'],
  ];
  for (const [found, wanted] of problems) assert.equal(found?.split(/[:.]/)[0] ?? null, wanted);
});

test('patterns of types allow what they name, and nothing that only begins like it', () => {
  const cases = [['image/png', ['image/*'], true], ['imagex/png', ['image/*'], false], ['image/png', ['image/p'], false], ['x/y', ['*/*'], true], ['x/y', [], false]];
  for (const [type, patterns, isAllowed] of cases) assert.equal(attachments.isAllowed(type, patterns), isAllowed, `${type} by ${patterns}`);
});

test('the place of a picture is known before it is loaded, within bounds', () => {
  const sizes = [[2560, 1700], [100, 4000], [1, 1], [undefined, undefined], [200, 100]].map(([width, height]) => attachments.shownSize({ width, height }));
  assert.deepEqual(sizes.map(({ width, height }) => [width, height]), [[320, 213], [48, 320], [48, 48], [288, 216], [200, 100]]);
});

test('whatever size a part claims, its place is a number of pixels within bounds', () => {
  const claims = [0, -1, 1, 1e-9, 1e9, Number.MAX_SAFE_INTEGER, Infinity, NaN, '50', 'x', null, {}, []];
  for (const width of claims) {
    for (const height of claims) {
      const size = attachments.shownSize({ width, height });
      for (const side of [size.width, size.height]) assert.ok(side >= 48 && side <= 320, `${width} x ${height}: ${side}`);
    }
  }
});

test('moving pictures are told by their first bytes', () => {
  const webp = (flags) => bytesOf(`RIFF....WEBPVP8X....${String.fromCharCode(flags)}...`);
  assert.deepEqual([bytesOf('GIF89a'), webp(2), webp(16), bytesOf('\u0089PNG....acTL'), bytesOf('\u0089PNG....IDAT'), bytesOf('')].map(attachments.isAnimated),
    [true, true, false, true, false, false]);
});

test('a sequence of pictures is told by the brands of its first box, as long as that is', () => {
  const avif = (brands) => bytesOf(`\0\0\0${String.fromCharCode(8 + brands.length)}ftyp${brands}mdat`);
  assert.deepEqual([avif('avif\0\0\0\0avis'), avif('avif\0\0\0\0mif1'), avif('avif\0\0\0\0xavisx'), bytesOf('\0\0\0\0ftypavis')].map(attachments.isAnimated),
    [true, false, false, false]);
});

test('any beginning of a file is told without an error', () => {
  for (const start of ['', 'GIF8', 'RIFF', 'RIFF....WEBPVP8X', '....ftyp', '\u0089PNG']) {
    for (let length = 0; length <= start.length; length += 1) assert.equal(typeof attachments.isAnimated(bytesOf(start.slice(0, length))), 'boolean');
  }
  assert.equal(attachments.isAnimated(new Uint8Array(1_000_000)), false);
});

test('only paths of attachments of this server are loaded', () => {
  const paths = ['/v1/attachments/x', '/v1/attachments/a-b_c.1', '/v1/attachments/../me', '/v1/attachments/', '//b.example/v1/attachments/x',
    '/v1/attachments/x?y', `/v1/attachments/${'x'.repeat(91)}`, undefined, null];
  assert.deepEqual(paths.map(attachments.isAttachmentPath), [true, true, false, false, false, false, false, false, false]);
});

test('a part is called by its kind and its name, without marks that turn the text around', () => {
  assert.deepEqual([{ type: 'image/png', name: 'a\u202egnp.exe' }, { type: 'video/mp4' }, { type: 'application/geo+json', name: 'x' }, {}].map(attachments.partLabel),
    ['Photo agnp.exe', 'Video', 'Location', 'File']);
});
