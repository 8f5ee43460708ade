// One tab's view of the chat: the client, the open conversation, and the names, pictures and marks of the page.
import * as api from './api.js';
import { createClient } from '../client/index.js';
import { indexedDBStorage } from '../client/storage.js';
import { otherUser } from '../client/roster.js';
import { Invitations } from './invitations.js';
import { OpenMembers } from './openMembers.js';
import { Previews } from './previews.js';
import { Profiles } from './profiles.js';
import { S } from '../shared/strings.js';
import { visible } from '../shared/visible.js';

/** The most users of direct threads whose presence is watched. */
const MAX_WATCHED = 200;

export class Chat {
  #listener;
  #members;
  #watched = '';
  #isChanged = false;
  #isOver = false;
  /** The messages of blocked users in rooms that the user has opened on this page. */
  #unfolded = new Set();

  client;
  /** The open conversation, and the recent ones in memory. */
  conversations;
  profiles;
  /** The pictures of unsent messages. */
  previews;
  /** The invitations of the user. */
  invitations;
  /** Messages above this `seq` were unread when the thread was opened. */
  dividerSeq = null;

  /**
   * @param me `{id, username}`
   * @param listener `onChange()`, once for all changes of one turn; `onLive(message)` for each new message;
   * `onRefused({code, message})`; `onSignedOut()`, once
   */
  constructor(me, listener) {
    this.me = me;
    this.#listener = listener;
    const changed = () => this.#changed();
    this.client = createClient({ user: me, storage: indexedDBStorage, tabs: true });
    this.conversations = this.client.conversations();
    this.previews = new Previews((id, index) => this.client.file(id, index), changed);
    this.profiles = new Profiles(api.user, changed);
    this.#members = new OpenMembers(this);
    this.invitations = new Invitations(async () => (await this.client.entrances.myInvitations()).invitations, changed);
    this.#listen();
  }

  #listen() {
    const { client } = this;
    client.on('change', () => {
      this.previews.keep(new Set(this.outbox.map(({ id }) => id)));
      this.#watch();
      this.#changed();
    });
    client.on('loaded', () => {
      // The new list has only the receipts that this device has received.
      this.#members.forget();
      this.#members.load();
      this.#mark();
    });
    client.on('state', (state) => this.#connected(state));
    client.on('user', (user) => this.learn([user]));
    client.on('entrances', (frame) => this.invitations.told(frame));
    client.on('live', (message) => this.#listener.onLive(message));
    client.on('error', (error) => this.#listener.onRefused(error));
    client.on('signedOut', () => this.#listener.onSignedOut());
  }

  #connected(state) {
    if (state !== 'open') return;
    // Marks the messages that arrived since this device was last connected.
    if (this.dividerSeq === null) this.#mark();
    this.#members.forget();
    this.#members.load();
    this.invitations.load();
    // Changes of names and pictures during an interruption are not reported.
    this.profiles.expire();
  }

  /** Closes everything. The object cannot be used afterwards. */
  stop() {
    this.#isOver = true;
    this.#members.stop();
    this.invitations.stop();
    this.previews.keep(new Set());
    this.client.close();
  }

  // MARK: State for the views

  get threads() { return this.client.threads; }

  get limits() { return this.client.limits; }

  get outbox() { return this.client.outbox; }

  get openID() { return this.conversations.openID; }

  get openThread() { return this.client.thread(this.openID); }

  get timeline() { return this.conversations.timeline; }

  /** Whether the open conversation ends with the newest message. */
  get isAtHead() { return this.conversations.isAtHead; }

  /** Whether a message is shown as one line, because the user blocks its author. */
  isFolded({ id, sender_id: sender }) {
    return this.client.blocks.has(sender) && this.openThread?.kind !== 'direct' && !this.#unfolded.has(id);
  }

  unfold(messageID) {
    this.#unfolded.add(messageID);
    this.#changed();
  }

  /** The users that a message can mention; see `OpenMembers.mentionable`. */
  mentionable() { return this.#members.mentionable(); }

  /** The names of the users who are typing in a thread. */
  typing(threadID) { return this.client.typing(threadID).map(({ id, username }) => this.nameFor(id, username)); }

  /**
   * The name that a user is shown with: the display name, or else the username.
   * @param displayName that of a message or list, if it has one; what was reported since is preferred
   */
  nameFor(id, username, displayName) {
    // What was known of an erased user is no longer shown.
    if (username && username === `erased:${id}`) return visible(username);
    const name = this.profiles.has(id) ? this.profiles.nameOf(id) : this.conversations.names.shown(id) ?? displayName;
    return visible(name ?? username ?? this.nameOf(id) ?? S.somebody);
  }

  /** The title that a thread is shown with. */
  titleOf(thread) {
    const other = this.otherIn(thread);
    return other ? this.nameFor(other, thread.title) : visible(thread?.title ?? '');
  }

  /** The ID of the other user of a direct thread; `null` in other threads. */
  otherIn(thread) { return thread?.kind === 'direct' ? otherUser(thread.id, this.me.id) : null; }

  /** The name of a user, if known. */
  nameOf(id) {
    if (id === this.me.id) return this.me.username;
    return this.conversations.names.get(id);
  }

  /** Adds members that were loaded for a list. */
  learn(users) {
    for (const { id, username } of users) this.conversations.names.set(id, username);
    this.profiles.learn(users);
    this.#changed();
  }

  // MARK: The open thread

  /** Opens thread `id` at message `seq`, if given. `null` closes the thread. */
  open(id, seq = null) {
    if (id !== this.openID) {
      this.client.setTyping(this.openID, false);
      this.conversations.open(id);
      this.#mark();
      this.#watch();
    }
    if (id && seq !== null) this.conversations.jump(seq);
    else if (id) this.conversations.sync(id);
    this.#members.load();
    this.#changed();
  }

  #mark() {
    const thread = this.openThread;
    this.dividerSeq = thread?.unread > 0 ? thread.readSeq : null;
  }

  /** Watches the other users of direct threads, that of the open one first. */
  #watch() {
    const all = [this.openThread, ...this.threads];
    const users = [...new Set(all.map((thread) => this.otherIn(thread)).filter(Boolean))].slice(0, MAX_WATCHED);
    if (!this.client.isLoaded || users.join() === this.#watched) return;
    this.#watched = users.join();
    this.client.watch(users).catch(() => {});
  }

  // MARK: Actions

  /**
   * Sends to the open thread.
   * @param content `replyTo`, `parts`, and `files`, each `{name, type, blob, width?, height?}`
   * @returns whether there was room
   */
  send(text, content = {}) {
    return this.#attempt(() => {
      const { id } = this.client.send(this.openID, text, content);
      content.files?.forEach((file, index) => this.previews.added(id, index, file));
    });
  }

  edit(message, text) { this.#attempt(() => this.client.edit(this.openID, message.id, text)); }

  remove(message) { this.#attempt(() => this.client.remove(this.openID, message.id)); }

  react(message, emoji, on) { this.#attempt(() => this.client.react(this.openID, message.id, emoji, on)); }

  /** @returns whether the outbox had room for an action */
  #attempt(action) {
    try {
      action();
      return true;
    } catch {
      return false;
    }
  }

  retry(id) { this.client.retry(id).catch(() => {}); }

  discard(id) { this.client.discard(id).catch(() => {}); }

  /** Marks the open thread as read up to the last visible message, or `Infinity`; see `Conversations.seen`. */
  markSeen(seq) {
    if (document.visibilityState === 'visible') this.conversations.seen(seq);
  }

  visibilityChanged() {
    if (document.visibilityState !== 'visible') {
      this.conversations.flush();
      return;
    }
    this.#mark();
    this.client.wake();
    this.#members.expire();
    this.#members.load();
    this.#changed();
  }

  /** Notifies the listener once for all changes of this turn. */
  #changed() {
    if (this.#isChanged || this.#isOver) return;
    this.#isChanged = true;
    queueMicrotask(() => {
      this.#isChanged = false;
      if (!this.#isOver) this.#listener.onChange();
    });
  }
}
