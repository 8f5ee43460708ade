// Texts that were begun and not sent, by thread. In the local storage, which all tabs share and which is written at once.
import { keep, kept } from './localStore.js';

/** Threads whose drafts are kept. */
const MOST = 50;

const keyOf = (userID) => `parley.drafts.${userID}`;

export function drafts(userID) {
  try {
    const all = JSON.parse(kept(keyOf(userID)));
    return all && typeof all === 'object' ? all : {};
  } catch {
    return {};
  }
}

/** @param text is removed if it is empty */
export function setDraft(userID, thread, text) {
  const { [thread]: previous, ...others } = drafts(userID);
  if ((previous ?? '') === text) return;
  const all = Object.entries(text ? { ...others, [thread]: text } : others).slice(-MOST);
  keep(keyOf(userID), JSON.stringify(Object.fromEntries(all)));
}

export const removeDrafts = (userID) => keep(keyOf(userID), null);
