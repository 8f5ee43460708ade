import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const files = new URL('../../Sources/CWebClient/files/', import.meta.url);

// Modules with views need a page, so no other test here loads them.
test('every module of the pages can be parsed', () => {
  for (const folder of ['app', 'client', 'console', 'docs', 'shared']) {
    for (const name of readdirSync(new URL(`${folder}/`, files)).filter((each) => each.endsWith('.js'))) {
      const input = readFileSync(new URL(`${folder}/${name}`, files));
      const { status, stderr } = spawnSync(process.execPath, ['--check', '--input-type=module', '-'], { input, encoding: 'utf8' });
      assert.equal(status, 0, `${folder}/${name}: ${stderr}`);
    }
  }
});
