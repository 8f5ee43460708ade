// Unsent texts by thread, in the local storage, which all tabs share and which is written immediately.
import { keep, kept } from '../shared/localStore.js';

/** The maximum number of threads with a draft. */
const MAX_THREADS = 50;

const keyOf = (userID) => `parley.drafts.${userID}`;

export function drafts(userID) {
  try {
    const all = JSON.parse(kept(keyOf(userID)));
    return all && typeof all === 'object' ? all : {};
  } catch {
    return {};
  }
}

/** @param text the draft; an empty text removes it */
export function setDraft(userID, thread, text) {
  const { [thread]: previous, ...others } = drafts(userID);
  if ((previous ?? '') === text) return;
  const all = Object.entries(text ? { ...others, [thread]: text } : others).slice(-MAX_THREADS);
  // Without a draft nothing on the device names the user.
  keep(keyOf(userID), all.length > 0 ? JSON.stringify(Object.fromEntries(all)) : null);
}

export const removeDrafts = (userID) => keep(keyOf(userID), null);
