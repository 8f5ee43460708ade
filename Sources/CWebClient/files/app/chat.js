// One tab's view of the chat: threads, the open conversation, and the user's actions. It sends requests to the leading
// tab.
import * as api from './api.js';
import { Cache } from '../client/cache.js';
import { Conversations } from '../client/conversations.js';
import { Database } from '../client/database.js';
import { Engine } from '../client/engine.js';
import { Hub } from '../client/hub.js';
import { DirectUsers } from './directUsers.js';
import { host } from './host.js';
import { Invitations } from './invitations.js';
import { Mutes } from '../client/mutes.js';
import { slowWait } from '../client/room.js';
import { Outgoing } from '../client/outgoing.js';
import { otherUser, Roster } from '../client/roster.js';
import { Typing } from '../client/typing.js';
import { S } from '../shared/strings.js';
import { OpenMembers } from './openMembers.js';
import { Previews } from './previews.js';
import { Profiles } from './profiles.js';
import { Reading } from './reading.js';
import { visible } from '../shared/visible.js';

export class Chat {
  #listener;
  #hub;
  #database;
  #cache;
  #engine = null;
  #reading;
  #members;
  #isChanged = false;
  #isOver = false;
  #isReplaying = false;
  #mutes;
  #direct;

  roster;
  outgoing;
  profiles;
  presence = new Map();
  typing;
  connection = { state: 'connecting', reason: '' };
  isReady = false;
  /** The upload limits of the server: `undefined` if unknown, `null` if it does not accept files. */
  limits;
  conversations;
  /** The invitations of the user. */
  invitations;
  /** Messages above this `seq` were unread when the thread was opened. */
  dividerSeq = null;
  /**
   * @param me `{id, username}`
   * @param listener `onChange()`, once for all changes of one turn; `onLive(message)` for each new message;
   * `onRefused({op, message})`; `onSignedOut()`, once
   */
  constructor(me, listener) {
    this.me = me;
    this.#listener = listener;
    this.roster = new Roster(me.id);
    const chat = this;
    this.conversations = new Conversations({
      kept: async (id) => this.#cache?.timeline(id) ?? null,
      history: (id, bounds, limit) => this.#hub.request({ do: 'history', id, bounds, limit }),
      head: (id) => this.roster.get(id),
      changed: () => this.#changed(),
      get isConnected() { return chat.connection.state === 'open'; },
      get isOver() { return chat.#isOver; },
    });
    const previews = new Previews(
      async (id, index) => (await this.#database?.transact(['files'], 'readonly', (store) => store('files').get([id, index])))?.blob,
      () => this.#changed());
    this.outgoing = new Outgoing({
      previews,
      transact: (...parameters) => this.#database?.transact(...parameters),
      request: (body) => this.#hub.request(body),
      changed: () => this.#changed(),
      get isOver() { return chat.#isOver; },
    });
    this.profiles = new Profiles(api.user, () => this.#changed());
    this.#mutes = new Mutes({ get roster() { return chat.roster; }, changed: () => this.#changed() });
    this.#members = new OpenMembers(this, { load: api.members, isOver: () => this.#isOver });
    this.#reading = new Reading(this);
    this.#direct = new DirectUsers(this);
    this.invitations = new Invitations(async () => (await api.entrances.myInvitations()).invitations, () => this.#changed());
    this.typing = new Typing(me.id, () => this.#changed(), (command) => this.#command(command).catch(() => {}));
  }

  async start() {
    this.#database = await Database.open(this.me.id);
    if (this.#isOver) return;
    this.#cache = new Cache(this.#database);
    this.#hub = new Hub(`parley-${this.me.id}`, {
      onLead: () => this.#lead(),
      onRequest: async (body, tab) => this.#engine?.handle(body, tab),
      onMessage: (message) => this.#received(message),
      onLeader: () => this.#follow(),
      onDeposed: () => {
        // The new leader has a newer cache.
        this.#engine?.stop({ keepsCache: false });
        this.#engine = null;
        this.#follow();
      },
    });
    this.#hub.start();
    this.#members.start();
    if (!this.#hub.isLeader) this.#follow();
  }

  /** Closes everything. The object cannot be used afterwards. */
  stop() {
    this.#isOver = true;
    this.outgoing.stop();
    this.#reading.stop();
    this.#members.stop();
    this.invitations.stop();
    this.typing.stop();
    this.#mutes.stop();
    this.#engine?.stop();
    this.#hub?.stop();
    this.#database?.close();
  }

  get isLeader() {
    return this.#hub?.isLeader ?? false;
  }

  #lead() {
    const emit = (message) => { if (!this.#isOver) this.#hub.broadcast(message); };
    this.#engine = new Engine(this.me, this.#database, emit, () => emit({ signedOut: true }), host());
    this.#engine.start();
  }

  async #follow() {
    this.#direct.forget();
    try {
      const snapshot = await this.#hub.request({ do: 'snapshot' });
      if (!this.#isOver) this.#received({ snapshot });
    } catch {
      // The next leader announces itself.
    }
  }

  // MARK: From the leading tab

  #received(message) {
    if (this.#isOver) return;
    if (message.snapshot) this.#restored(message.snapshot);
    else if (message.frame) this.#frame(message.frame);
    else if (message.listed) this.roster.listed(message.listed);
    else if (message.count) this.roster.counted(message.count);
    else if (message.outbox) this.outgoing.replaced(message.outbox);
    else if (message.progress) this.outgoing.progress.set(message.progress.id, message.progress);
    else if ('limits' in message) this.limits = message.limits;
    else if (message.presence) this.presence = new Map(message.presence.map((each) => [each.user_id, each]));
    else if (message.refused) this.#listener.onRefused(message.refused);
    else if (message.signedOut) this.#listener.onSignedOut();
    else if (message.connection) this.#connected(message.connection);
    if (message.listed || message.snapshot) this.#watch();
    this.#mutes.received(message);
    this.#changed();
  }

  #restored({ threads, outbox, connection, presence, limits, blocks }) {
    this.roster = new Roster(this.me.id, threads, blocks);
    this.outgoing.replaced(outbox);
    if (limits !== undefined) this.limits = limits;
    this.presence = new Map(presence.map((each) => [each.user_id, each]));
    this.isReady = true;
    // The new list has only the receipts that this device has received.
    this.#members.forget();
    this.#connected(connection);
    if (!this.openID) return;
    this.#mark();
    // Works without a connection, from this device.
    this.conversations.sync(this.openID);
  }

  #connected(connection) {
    const isNew = connection.state === 'open' && this.connection.state !== 'open';
    this.connection = connection;
    if (isNew) {
      this.conversations.connected();
      this.#members.forget();
      this.invitations.load();
      // Changes of names and pictures during an interruption are not reported.
      this.profiles.expire();
    }
    if (this.openID) this.conversations.sync(this.openID);
    this.#members.load();
  }

  #frame(frame) {
    this.roster.apply(frame);
    this.roster.unsure.clear();
    switch (frame.type) {
      case 'hello':
        this.#isReplaying = true;
        // Marks the messages that arrived since this device was last connected.
        if (this.dividerSeq === null) this.#mark();
        this.#watch();
        break;
      case 'resumed':
        this.#isReplaying = false;
        for (const [id, { state }] of Object.entries(frame.threads)) {
          if (!['live', 'replayed', 'unavailable'].includes(state)) this.conversations.forget(id);
        }
        break;
      case 'presence': this.presence.set(frame.user_id, frame); return;
      case 'typing': this.typing.received(frame); return;
      case 'entrances': this.invitations.told(frame); return;
      case 'user': this.learn([frame.user]); return;
      case 'thread':
        if (frame.op === 'removed') this.conversations.forget(frame.thread.id);
        this.#watch();
        break;
      default:
    }
    if (frame.seq !== undefined) this.#event(frame);
    // An event may show that others are missing. Nothing happens if none are, or if the user has left the thread.
    if (this.openThread || (this.openID && !this.conversations.threadError)) this.conversations.sync(this.openID);
  }

  #event(event) {
    const id = event.thread_id;
    this.conversations.event(event);
    if (event.type !== 'message') return;
    this.typing.ended(id, event.sender_id);
    if (event.sender_id !== this.me.id && !this.#isReplaying && !this.roster.blocks.has(event.sender_id)) this.#listener.onLive(event);
  }

  // MARK: State for the views

  get threads() { return this.roster.list; }

  /** The messages of blocked users in rooms that the user has opened on this page. */
  #unfolded = new Set();

  /** Whether a message is shown as one line, because the user blocks its author. */
  isFolded({ id, sender_id: sender }) {
    return this.roster.blocks.has(sender) && this.openThread?.kind !== 'direct' && !this.#unfolded.has(id);
  }

  unfold(messageID) {
    this.#unfolded.add(messageID);
    this.#changed();
  }

  /** The milliseconds until slow mode lets the user send in the open thread. */
  get slowWait() {
    return slowWait(this.openThread ?? undefined, Date.now() + this.#mutes.offset);
  }

  get openThread() {
    return this.openID ? (this.roster.get(this.openID) ?? null) : null;
  }

  get openID() { return this.conversations.openID; }

  get timeline() { return this.conversations.timeline; }

  /** Whether the open conversation ends with the newest message. */
  get isAtHead() { return this.conversations.isAtHead; }

  get outbox() { return this.outgoing.outbox; }

  get pending() {
    return this.isAtHead ? this.outgoing.pending(this.openID, this.timeline.rows) : [];
  }

  /** The pending edits, deletions and reactions of the open thread, by message. */
  get changes() {
    return this.outgoing.changes(this.openID);
  }

  /** The users that a message can mention; see `OpenMembers.mentionable`. */
  mentionable() { return this.#members.mentionable(); }

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
    const other = thread?.kind === 'direct' ? otherUser(thread.id, this.me.id) : null;
    return other ? this.nameFor(other, thread.title) : visible(thread?.title ?? '');
  }

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
      this.#reading.flush();
      this.typing.typed(this.openID, false);
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

  // MARK: Actions

  /** Sends to the open thread; see `Outgoing.send`. */
  send(text, content = {}) {
    return this.outgoing.send(this.openID, text, content);
  }

  edit(message, text) {
    this.#change({ op: 'edit', messageID: message.id, text });
  }

  remove(message) {
    this.#change({ op: 'delete', messageID: message.id });
  }

  react(message, emoji, on) {
    this.#change({ op: 'react', messageID: message.id, emoji, on });
  }

  #change(entry) {
    this.outgoing.add({ thread: this.openID, ...entry });
  }

  retry(id) {
    this.#ask({ do: 'retry', id });
  }

  discard(id) {
    this.#ask({ do: 'discard', id });
  }

  #ask(body) {
    return this.#hub?.request(body).catch(() => {});
  }

  #command(command) {
    return this.#hub.request({ do: 'command', command });
  }

  async leave(id) {
    await this.#command({ leave: { id } });
  }

  /** Marks the open thread as read on all devices; see `Reading.seen`. */
  markSeen(seq) {
    if (this.#reading.seen(seq)) this.#changed();
  }

  visibilityChanged() {
    if (document.visibilityState !== 'visible') {
      this.#reading.flush();
      return;
    }
    this.#mark();
    this.#hub?.check();
    this.wake();
    this.#members.expire();
    this.#members.load();
    this.#changed();
  }

  /** Connects immediately after a wait, because the network or the user has returned. */
  wake() {
    this.#ask({ do: 'wake' });
  }

  reconnect() {
    this.#ask({ do: 'reconnect' });
  }

  refresh() {
    return this.#ask({ do: 'refresh' });
  }

  #watch() {
    const users = this.#direct.due();
    if (users) this.#ask({ do: 'watch', users });
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
