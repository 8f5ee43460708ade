// The other users of direct threads, whose presence is watched.
import { otherUser } from '../client/roster.js';

/** The most that one socket watches. */
const MAX_WATCHED = 200;

export class DirectUsers {
  #chat;
  #watched = '';

  constructor(chat) {
    this.#chat = chat;
  }

  /** Another leading tab does not know what this one watches. */
  forget() { this.#watched = ''; }

  /** The users to watch, that of the open thread first, or `null` if these are watched already. */
  due() {
    const { threads, openID, me, isReady } = this.#chat;
    const direct = threads.filter((thread) => thread.kind === 'direct').map((thread) => thread.id);
    const open = direct.filter((id) => id === openID);
    const users = [...new Set([...open, ...direct].map((id) => otherUser(id, me.id)).filter(Boolean))].slice(0, MAX_WATCHED);
    if (users.join() === this.#watched || !isReady) return null;
    this.#watched = users.join();
    return users;
  }
}
