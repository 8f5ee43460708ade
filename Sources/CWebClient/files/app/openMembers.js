// The members of the open thread: who they are, and how much they have read.

/** The time after which the members are loaded again, in milliseconds. */
const LIFE = 60_000;

export class OpenMembers {
  #chat;
  #timer = setInterval(() => this.load(), LIFE);
  /** The thread whose members were loaded, and when. */
  #known = { id: null, at: 0 };

  constructor(chat) {
    this.#chat = chat;
  }

  stop() { clearInterval(this.#timer); }

  forget() { this.#known = { id: null, at: 0 }; }

  /** Loads them again with the next occasion, and keeps what is known until then. */
  expire() { this.#known.at = 0; }

  /** The members, if they are loaded. */
  get users() { return this.#known.id === this.#chat.openID ? this.#known.users ?? [] : []; }

  /** The users that a message can mention, `{username, name}`: recent senders first, then the other members. */
  mentionable() {
    const { timeline, me, profiles } = this.#chat;
    const senders = timeline.rows.slice(-500).reverse().map((row) => ({ id: row.sender_id ?? row.user_id, username: row.sender_name ?? row.username }));
    const all = [...senders, ...this.users].filter(({ username }) => username && username !== me.username);
    const byName = new Map();
    for (const { id, username } of all) if (!byName.has(username)) byName.set(username, { username, name: profiles.nameOf(id) });
    return [...byName.values()];
  }

  /** A device that was not connected has not heard of their read marks, names and pictures. */
  async load() {
    const chat = this.#chat;
    const id = chat.openID;
    if (!chat.openThread || chat.client.state !== 'open' || document.visibilityState !== 'visible') return;
    if (this.#known.id === id && Date.now() - this.#known.at < LIFE / 2) return;
    const mine = { id, at: Date.now(), users: this.users };
    this.#known = mine;
    try {
      const members = await chat.client.members(id);
      if (this.#known !== mine) return;
      mine.users = members.map(({ user }) => user);
      chat.learn(mine.users);
    } catch {
      if (this.#known === mine) this.forget();
    }
  }
}
