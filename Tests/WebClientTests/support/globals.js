// What browsers have and Node 18 does not, and stand-ins for what a test replaces.
import { File } from 'node:buffer';
import { webcrypto } from 'node:crypto';

globalThis.crypto ??= webcrypto;
globalThis.File ??= File;

/** Replaces a global object until the test ends. */
export function replaceGlobal(test, name, value) {
  const original = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  test.after(() => {
    if (original) Object.defineProperty(globalThis, name, original);
    else delete globalThis[name];
  });
}

/** Lets every promise that is settled already go on, and what follows from it. */
export const settled = async (turns = 200) => {
  for (let turn = 0; turn < turns; turn += 1) await null;
};

/** Waits until a condition holds. Throws after three seconds, or `limit` ms, so that a failure names the test. */
export async function until(condition, what = 'the condition', limit = 3_000) {
  const end = performance.now() + limit;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`${what} did not become true`);
    await new Promise((resolve) => { setImmediate(resolve); });
  }
}
