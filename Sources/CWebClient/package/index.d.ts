/** Options of {@link createClient}. Without `token` and `credentials` the session cookie of the page is used. */
export interface ClientOptions {
  /** The server, for example `https://chat.example.org`. By default the origin of the page. */
  url?: string;
  /** A session token or a JWT, or a function that returns a fresh one. It is called again when one has expired. */
  token?: string | (() => string | Promise<string>);
  /**
   * A name and a password. In Node the session is kept in memory. In a page it is a cookie, so the page must be of the
   * same site as the server. With `signUp` an account is made if there is none of this name; a name that is taken is
   * refused like a wrong password.
   */
  credentials?: { username: string; password: string; signUp?: boolean };
  /**
   * The user, if the page remembers who it was. The client then starts with what is stored, without asking the server,
   * and emits `signedOut` if the connection belongs to another user.
   */
  user?: { id: string; username: string };
  /** `indexedDBStorage` of `@parley/client/storage`. Without it unsent messages last as long as the process. */
  storage?: ChatStorage;
  /** One connection for all tabs of the user on this device (Web Locks, BroadcastChannel). */
  tabs?: boolean;
  /** The WebSocket class, for environments without one, such as Node 18. */
  WebSocket?: new (url: string, protocol: string) => unknown;
  /** Replaces `globalThis.fetch`. */
  fetch?: typeof fetch;
}

/** A place for the data of users, such as `indexedDBStorage`. */
export interface ChatStorage {
  open(userID: string): Promise<unknown>;
}

export interface ChatUser {
  id: string;
  username: string;
  display_name?: string;
  avatar_url?: string;
}

export interface ChatThread {
  id: string;
  title: string;
  /** `room`, `direct` or `group`. Treat a kind that you do not know as a room. */
  kind: string;
  /** `public`, `unlisted` or `private`. */
  visibility: string;
  /** What a new member of a room sees of the time before, if the server has told it. */
  history?: 'all' | 'since_joining';
  /** The first position that exists for this user; without it they see everything. */
  visible_from?: number;
  role: string;
  /** The position of the newest event. */
  seq: number;
  unread: number;
  /** The read mark of the user. */
  readSeq?: number;
  /** The mute of the user here. It ends by itself, by the server's clock, which is a `change` like its beginning. */
  mute: ChatMute | null;
  /** What differs from the default of a room, and whether a direct thread is blocked. */
  room?: ChatRoom;
  /** The read marks of other members, by user ID: the position, and the time in seconds since 1970. */
  readers?: Record<string, { seq: number; date?: number }>;
  /** The newest message. */
  last?: { seq: number; text: string; sender_id: string; sender_name?: string; sender_display_name?: string; at: number; deleted?: boolean };
}

/** The state of a room besides its title. */
export interface ChatRoom {
  topic: string;
  /** The ID of the attachment that is the picture. */
  picture?: string;
  /** Whether the room is read-only for all. Hide it from the inbox. */
  isArchived: boolean;
  /** The seconds between two messages of a member; 0 without slow mode. */
  slowSeconds: number;
  rights: Record<'write' | 'attach' | 'mention' | 'add', 'everyone' | 'moderators'>;
  /** The number of changes. */
  changes: number;
  /** Whether one of the two users of a direct thread blocks the other. */
  isBlocked: boolean;
}

/** The decision of a moderator that the user may read a thread, but not write there. */
export interface ChatMute {
  /** The end in milliseconds since 1970; without it a moderator has to end the mute. */
  untilMs?: number;
  /** The reason that the moderator gave. */
  reason?: string;
}

export interface ChatMessage {
  /** `message`, `joined`, `left`, `renamed`, `role` or `visibility`. */
  kind: string;
  /** The server's ID; `null` before the message is accepted. */
  id: string | null;
  /** The position in the thread; `null` before the message is accepted. */
  seq: number | null;
  /** The client's ID, which does not change. */
  clientID: string | null;
  senderID: string;
  senderName: string;
  /** The display name of the sender; `null` if it equals the username, and for messages that are not accepted. */
  senderDisplayName: string | null;
  text: string;
  parts: ChatPart[];
  reactions: { emoji: string; count: number; users: string[] }[];
  /** The `seq` of the message that this one answers. */
  replyTo: number | null;
  date: Date;
  isEdited: boolean;
  isDeleted: boolean;
  /** `pending` is not sent, `accepted` is in the log, `stored` is in the database, `failed` was refused. */
  state: 'pending' | 'accepted' | 'stored' | 'failed';
  /** Whether an edit, a deletion or a reaction of the user is not confirmed yet. */
  isChanging: boolean;
  /** The code of the refusal of a failed message. */
  error: string | null;
}

export interface ChatPart {
  type?: string;
  name?: string;
  size?: number;
  /** Made by the sender: load only paths below `/v1/attachments/` automatically. */
  url?: string;
  width?: number;
  height?: number;
  duration_ms?: number;
  content?: unknown;
  attachment?: string;
}

/** The messages of a thread: those of the log, and then those of the outbox. */
export interface MessageCollection {
  readonly items: readonly ChatMessage[];
  readonly isLoaded: boolean;
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  /** The reason for which the thread cannot be shown. */
  readonly error: string | null;
  /** Calls `listener` now and after each change. Returns a function that ends this. */
  subscribe(listener: (items: readonly ChatMessage[]) => void): () => void;
  loadOlder(): Promise<void>;
  loadNewer(): Promise<void>;
  /** Shows the part of the log around `seq`. */
  jump(seq: number): Promise<void>;
  toNewest(): void;
  close(): void;
}

/** An event of the log of a thread, or a message of it in its present state, with the fields of the protocol. */
export interface ThreadEvent {
  type: string;
  thread_id: string;
  epoch: string;
  seq: number;
  date_ms: number;
  id?: string;
  text?: string;
  sender_id?: string;
  sender_name?: string;
  [field: string]: unknown;
}

/** An action of the user that the server has not confirmed. */
export interface OutboxEntry {
  /** The `clientID` of a message. */
  id: string;
  op: 'message' | 'edit' | 'delete' | 'react' | 'read';
  thread: string;
  /** In milliseconds since 1970. */
  at: number;
  state: 'waiting' | 'uploading' | 'sending' | 'accepted' | 'failed';
  text?: string;
  replyTo?: number;
  parts?: ChatPart[];
  files?: { name: string; type: string; size: number; width?: number; height?: number }[];
  /** The message that is edited, deleted or reacted to. */
  messageID?: string;
  emoji?: string;
  on?: boolean;
  /** The code of the refusal of a failed message, and the text of the server. */
  code?: string;
  error?: string;
  /** The file that was not uploaded, and the HTTP status of the refusal; without a status its bytes are lost. */
  failure?: { status?: number; file: { name: string; type: string; size: number } };
}

/**
 * The state of a view that has one thread open at a time, with the events of the protocol. The parts of the last 12 threads
 * stay in memory.
 */
export interface Conversations {
  /** The open thread. */
  readonly openID: string | null;
  /** Its known part, a new object after each change. It is detached if newer messages exist that are not loaded. */
  readonly timeline: { readonly epoch: string | null; from: number; to: number; rows: readonly ThreadEvent[]; isLoaded: boolean; isDetached?: boolean };
  /** Whether it ends with the newest message. */
  readonly isAtHead: boolean;
  /** The messages of the outbox that follow its rows. */
  readonly pending: readonly OutboxEntry[];
  /** The unconfirmed edits, deletions and reactions, by the ID of the message. */
  readonly changes: ReadonlyMap<string, OutboxEntry[]>;
  /** The row that `jump` has found. Set it to `null` once it is shown. */
  target: number | null;
  /** Whether a row is being searched for, or about to be shown. */
  readonly isJumping: boolean;
  /** The error for which the thread cannot be shown. */
  readonly threadError: APIError | CommandError | null;
  /** The error of the last page that could not be loaded. */
  readonly loadError: APIError | CommandError | null;
  readonly isLoadingOlder: boolean;
  readonly isLoadingNewer: boolean;
  /** The usernames of users in events, by ID, and the display names that they were last shown with. */
  readonly names: { get(userID: string): string | undefined; shown(userID: string): string | undefined; set(userID: string, username: string): void };
  /** Opens a thread, or none. `sync` loads it. */
  open(threadID: string | null): void;
  /** Brings a thread up to date, from this device and then from the server. */
  sync(threadID: string): Promise<void>;
  loadOlder(): Promise<void>;
  loadNewer(): Promise<void>;
  loadAround(seq: number): Promise<void>;
  /** Loads the rows around `seq`, which becomes the `target`. */
  jump(seq: number): Promise<void>;
  toNewest(): void;
  /** Marks the thread as read up to the last message that the user sees, at once in the list and soon on the server. */
  seen(seq: number): void;
  /** Sends a read mark that waits, for example before the page is hidden. */
  flush(): void;
  close(): void;
}

/** A member of a thread. */
export interface ChatMember {
  user: ChatUser;
  role: string;
  read_seq?: number;
  /** In milliseconds since 1970. */
  read_ms?: number;
}

export type ConnectionState = 'off' | 'connecting' | 'open' | 'stopped';

/** An event of the type `message`, as in the protocol. */
export interface ChatMessageEvent {
  thread_id: string;
  seq: number;
  id: string;
  text: string;
  sender_id: string;
  sender_name?: string;
  sender_display_name?: string;
  client_id?: string;
  parts?: ChatPart[];
}

export interface ClientEvents {
  /** Something has changed: threads and mutes, typing, presence, progress. */
  change: undefined;
  /** The list of threads was read from the storage, or taken over from another tab. */
  loaded: undefined;
  state: ConnectionState;
  /** A live or replayed event of the type `message`, as in the protocol. */
  message: ChatMessageEvent;
  /** A message that another user has sent at this moment, and not one that was missed: for notifications. Blocked users are left out. */
  live: ChatMessageEvent;
  /**
   * Without `thread_id`, invitations of the user may have changed; with it, requests or invitations of a thread that they
   * moderate. Changes during an interruption are not reported, so read the lists after each `open` too.
   */
  entrances: { thread_id?: string };
  /** The user, or somebody who shares a thread with them, has another name or picture. */
  user: ChatUser;
  /** An edit, a deletion or a reaction was refused, or the client cannot start. */
  error: APIError | CommandError;
  /** The server does not accept the credentials any longer. */
  signedOut: undefined;
}

export interface Client {
  /** Resolves when the client is connected for the first time. Rejects if the credentials are refused. */
  readonly ready: Promise<Client>;
  readonly me: ChatUser | null;
  readonly state: ConnectionState;
  /** Why the connection is `stopped`, in the words of the server. */
  readonly reason: string;
  /** Present in the state `stopped` while an operator has suspended the user; its fields come a moment later. */
  readonly suspension: Suspension | null;
  /** The ways into threads that are not public. */
  readonly entrances: Entrances;
  /** Whether this tab has the connection of all tabs; `true` in a client without `tabs`. Let only this tab notify. */
  readonly isLeader: boolean;
  /** Whether `threads` is known, from the storage or from another tab. */
  readonly isLoaded: boolean;
  /** The actions in all tabs that the server has not confirmed yet. */
  readonly outbox: readonly OutboxEntry[];
  /** The threads of the user, newest activity first. */
  readonly threads: readonly ChatThread[];
  /** The limits for files; `undefined` if unknown, `null` if the server does not accept files. */
  readonly limits: { max_bytes: number; types: string[] } | null | undefined;
  /** Calls of the REST API with the credentials of the client. */
  readonly rest: { call(method: string, path: string, body?: unknown): Promise<any> };
  thread(id: string): ChatThread | null;
  messages(threadID: string): MessageCollection;
  /** For a view with one open thread at a time. */
  conversations(): Conversations;
  /** Adds a message to the outbox. Throws `CommandError` with the code `outbox_full`. */
  send(threadID: string, text: string, content?: { replyTo?: number; parts?: ChatPart[]; files?: (File | Blob | PreparedFile)[] }): Sent;
  edit(threadID: string, messageID: string, text: string): void;
  remove(threadID: string, messageID: string): void;
  react(threadID: string, messageID: string, emoji: string, on?: boolean): void;
  /** Marks a thread as read up to `seq`, by default its end. */
  markRead(threadID: string, seq?: number): void;
  setTyping(threadID: string, on?: boolean): void;
  /** The users who are typing. */
  typing(threadID: string): UserName[];
  /** The IDs of the users that the user blocks. Show their messages folded. */
  readonly blocks: ReadonlySet<string>;
  /** Blocks a user: no direct messages and no additions to rooms either way, typing and presence hidden. */
  block(userID: string): Promise<unknown>;
  unblock(userID: string): Promise<unknown>;
  /** Why the user may not write, besides a mute and the role `read_only`; `null` if they may. */
  hindrance(threadID: string): 'archived' | 'blocked' | 'moderators' | null;
  /** The milliseconds until slow mode lets the user send again. Nothing is reported when they are over. */
  slowWait(threadID: string): number;
  /** The presence of a user passed to `watch`. */
  presence(userID: string): { online: boolean; last_seen: number | null } | null;
  /** Replaces the users whose presence this client wants to know. */
  watch(userIDs: string[]): Promise<unknown>;
  /** The members of a thread, at most about 1,000, whose read marks the client adds to `readers`. */
  members(threadID: string): Promise<ChatMember[]>;
  /** The progress of the files of a message in bytes. */
  progress(clientID: string): { sent: number; total: number } | null;
  /** A file of an unsent message; `null` if this device has not stored it. */
  file(clientID: string, index: number): Promise<Blob | null>;
  retry(clientID: string): Promise<unknown>;
  discard(clientID: string): Promise<unknown>;
  /** Joins the room with a title, or creates it. */
  join(title: string): Promise<ChatThread>;
  direct(userID: string): Promise<ChatThread>;
  leave(threadID: string): Promise<unknown>;
  /** Sends a command of the v1 protocol. */
  command(command: Record<string, unknown>): Promise<any>;
  /** Connects immediately after a wait, because the network or the user has returned. Another tab that was suspended is replaced. */
  wake(): Promise<unknown>;
  /** Connects again after the state `stopped`. */
  reconnect(): Promise<unknown>;
  /** Reads the list of threads again, for example after a call of `rest` that has changed it. */
  refresh(): Promise<unknown>;
  on<Name extends keyof ClientEvents>(event: Name, listener: (value: ClientEvents[Name]) => void): () => void;
  /** Ends the connection. Unsent messages stay in the storage. */
  close(): void;
}

/** The decision of an operator that the user may not use the site. */
export interface Suspension {
  /** The end in milliseconds since 1970; without it an operator has to end the suspension. */
  untilMs?: number;
  /** The reason that the operator gave. */
  reason?: string;
}

export interface UserName {
  id: string;
  username: string;
}

/** An invitation as moderators see it. Times are in milliseconds since 1970. */
export interface Invitation {
  thread_id: string;
  user: UserName;
  by: UserName;
  text?: string;
  since_ms: number;
  until_ms?: number;
}

/** An invitation of the user. */
export interface MyInvitation {
  thread: { id: string; title: string; kind: string; visibility: string };
  by: UserName;
  text?: string;
  since_ms: number;
  until_ms?: number;
}

export interface EntranceRequest {
  thread_id: string;
  user: UserName;
  text?: string;
  since_ms: number;
}

/** A request of the user. It ends at `until_ms`, and a refused one is not different. */
export interface MyRequest {
  thread_id: string;
  text?: string;
  since_ms: number;
  until_ms: number;
}

export interface EntranceLink {
  id: string;
  thread_id: string;
  /** Only in the answer of `createLink`. */
  code?: string;
  by_id: string;
  since_ms: number;
  until_ms?: number;
  uses?: number;
  used: number;
}

export interface LinkTarget {
  /** `id` is present for a member. */
  thread: { id?: string; title: string; kind: string; visibility: string };
  members: number;
  is_member: boolean;
}

/**
 * Calls of REST. `user` is an ID or a name; `id:…` and `name:…` force one. Durations are in seconds.
 * Each throws `APIError`.
 */
export interface Entrances {
  /** Creates a room, or joins the one with the title. */
  createRoom(fields: { title: string; visibility?: string; history?: 'all' | 'since_joining' }): Promise<ChatThread>;
  /** Creates a group, which is always private, with 1 to 50 other members. */
  createGroup(fields: { members: string[]; title?: string; history?: 'all' | 'since_joining' }): Promise<ChatThread>;
  /** Changes a room or group, as its owner. */
  changeRoom(thread: string, fields: { title?: string; visibility?: string; history?: 'all' | 'since_joining' }): Promise<any>;
  /** Makes another member the owner, and the user a moderator. */
  setOwner(thread: string, user: string): Promise<{ thread_id: string; user: UserName; role: 'owner' }>;
  /** Invites a user, as a moderator. A further invitation replaces the first. */
  invite(thread: string, user: string, fields?: { text?: string; seconds?: number }): Promise<Invitation>;
  invitations(thread: string, cursor?: string): Promise<{ invitations: Invitation[]; next_cursor?: string | null }>;
  withdrawInvitation(thread: string, user: string): Promise<unknown>;
  myInvitations(cursor?: string): Promise<{ invitations: MyInvitation[]; next_cursor?: string | null }>;
  acceptInvitation(thread: string): Promise<ChatThread>;
  declineInvitation(thread: string): Promise<unknown>;
  /** Asks the moderators of a thread to let the user in. The answer tells nothing about the thread. */
  request(thread: string, fields?: { text?: string }): Promise<MyRequest>;
  myRequests(): Promise<{ requests: MyRequest[] }>;
  withdrawRequest(thread: string): Promise<unknown>;
  requests(thread: string, cursor?: string): Promise<{ requests: EntranceRequest[]; next_cursor?: string | null }>;
  acceptRequest(thread: string, user: string): Promise<{ user: UserName; role: string }>;
  refuseRequest(thread: string, user: string): Promise<unknown>;
  /** Makes a link. No later call shows its `code`. */
  createLink(thread: string, fields?: { seconds?: number; uses?: number }): Promise<EntranceLink & { code: string }>;
  links(thread: string): Promise<{ links: EntranceLink[] }>;
  revokeLink(thread: string, link: string): Promise<unknown>;
  /** What a code leads to. An invalid one is `not_found`. */
  link(code: string): Promise<LinkTarget>;
  joinLink(code: string): Promise<ChatThread>;
}

/** A file with the size of its picture, which views of receivers reserve space for. */
export interface PreparedFile {
  name?: string;
  type?: string;
  blob: Blob;
  width?: number;
  height?: number;
}

export interface Sent {
  /** The `clientID` of the message. */
  id: string;
  /** Resolves when the message is in the server's database. Rejects with `CommandError` if it is refused or taken back. */
  stored: Promise<string>;
}

/** A refused command. `code` is a code of the protocol, or `disconnected`, `outbox_full`, `closed`, `discarded`, `file_refused`, `file_lost`. */
export declare class CommandError extends Error {
  readonly code: string;
  readonly isRetryable: boolean;
  /** In milliseconds. */
  readonly retryAfter: number;
}

/** A refused REST call. `code` is a code of the protocol, `no_connection`, or `http_<status>`. */
export declare class APIError extends Error {
  readonly status: number;
  readonly code: string;
  readonly isRetryable: boolean;
  readonly retryAfter: number;
  /** With the code `suspended`; otherwise `null`. */
  readonly suspension: Suspension | null;
}

export declare function createClient(options?: ClientOptions): Client;
