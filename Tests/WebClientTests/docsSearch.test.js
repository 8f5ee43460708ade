import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fromOpenAPI } from '../../Sources/CWebClient/files/docs/api.js';
import { fromMarkdown } from '../../Sources/CWebClient/files/docs/markdown.js';
import { find, sections } from '../../Sources/CWebClient/files/docs/search.js';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const document = fromMarkdown('before\n# A `b`\none\ntwo\n\n- Three\n\n## C\n| Head |\n|---|\n| cell |\n\n```sh\nls -l\n```');

test('a section is a heading with everything up to the next one', () => {
  assert.deepEqual(sections(document), [
    { id: 'a-b', title: 'A b', text: 'one two Three' }, { id: 'c', title: 'C', text: 'Head cell ls -l' },
  ]);
});

test('each call of the REST description is a section with its method and path as the title', () => {
  const api = JSON.parse(read('Sources/CWebClient/files/docs/openapi.json'));
  const found = sections(fromOpenAPI(api));
  for (const [path, item] of Object.entries(api.paths)) {
    for (const method of ['get', 'post', 'put', 'patch', 'delete'].filter((each) => item[each])) {
      const section = found.find((each) => each.id === item[method].operationId);
      assert.equal(section?.title, `${method.toUpperCase()} ${path}`);
      assert.match(section.text, /Responses/);
    }
  }
});

test('finds sections with every word of the query, those with the words in their titles first', () => {
  const all = [
    { id: '1', title: 'Rooms', text: 'a mute in a room' }, { id: '2', title: 'Mutes', text: 'in rooms' },
    { id: '3', title: 'Mutes of rooms', text: '' }, { id: '4', title: 'Other', text: 'mute ROOM' }, { id: '5', title: 'Mute', text: '' },
  ];
  assert.deepEqual(find(all, ' Mute  room ').results.map(({ section }) => section.id), ['3', '1', '2', '4']);
  assert.equal(find(all, 'mute', 2).count, 5);
  assert.equal(find(all, 'mute', 2).results.length, 2);
  for (const nothing of ['', '  ', 'mute absent', '<script>', '.*']) assert.deepEqual(find(all, nothing), { results: [], count: 0 });
});

test('shows the text around the first word that is found', () => {
  const text = `${'far '.repeat(100)}needle${' away'.repeat(100)}`;
  const [{ excerpt }] = find([{ id: '1', title: 'T', text }], 'NEEDLE').results;
  assert.match(excerpt, /^… far .*needle.* …$/);
  assert.ok(excerpt.length < 150);
  assert.equal(find([{ id: '1', title: 'Needle', text: 'short' }], 'needle').results[0].excerpt, 'short');
});

test('every section of the documents is found by its title', () => {
  const names = ['docs/examples.md', 'docs/PROTOCOL.md', ...['sockets', 'rest', 'admin'].map((each) => `docs/protocol/${each}.md`)];
  for (const name of names) {
    const all = sections(fromMarkdown(read(name)));
    assert.ok(all.length >= 4, name);
    for (const { id, title } of all) {
      assert.ok(find(all, title, all.length).results.some(({ section }) => section.id === id), `${name}: ${title}`);
    }
  }
});

test('the examples are those of the README and of the packages, which tests run', () => {
  const blocks = (text, language) => text.split(`\`\`\`${language}\n`).slice(1).map((each) => each.split('\n```')[0]);
  const examples = read('docs/examples.md');
  for (const [language, source] of [
    ['js', 'Sources/CWebClient/package/README.md'], ['python', 'python/parley-client/README.md'],
  ]) assert.deepEqual(blocks(examples, language), blocks(read(source), language).slice(0, 1));
  const [swift] = blocks(examples, 'swift');
  assert.ok(blocks(read('README.md'), 'swift').includes(swift));
  assert.equal(blocks(examples, 'sh').length, 1);
});
