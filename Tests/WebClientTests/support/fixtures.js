// What all clients are tested with: Tests/Fixtures.
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../Fixtures/', import.meta.url);
const read = (path) => JSON.parse(readFileSync(new URL(path, folder), 'utf8'));

/** Delays, deadlines and reactions to close codes, which every client follows. */
export const behaviour = read('client-behaviour.json');

/** The golden frames of the v1 dialect by name, each `{name, direction, about, frame}`. */
export const frames = Object.fromEntries(
  readdirSync(new URL('v1/', folder)).filter((name) => name.endsWith('.json'))
    .map((name) => [name.slice(0, -'.json'.length), read(`v1/${name}`)]));

/** A golden frame. Throws if there is none of this name, instead of testing nothing. */
export function golden(name) {
  if (!frames[name]) throw new Error(`no fixture ${name}`);
  return frames[name].frame;
}
