// What must hold when everything has settled.

const shown = (items) => items.filter(({ kind }) => kind === 'message')
  .map(({ seq, text, isDeleted, reactions }) => ({ seq, text, isDeleted, reactions: reactions.map(({ emoji, users }) => `${emoji} ${[...users].sort()}`).sort() }));

const logged = (messages) => messages.map(({ seq, text, deleted, reactions = [] }) => (
  { seq, text, isDeleted: deleted === true, reactions: reactions.map(({ emoji, users }) => `${emoji} ${[...users].sort()}`).sort() }));

/** The differences between what clients have and what they should have. */
export function differences(world) {
  return [...sendsOf(world), ...changesOf(world), ...world.living.flatMap((person) => [...stateOf(world, person)]), ...socketsOf(world)];
}

/** Each message is in its log once and in the order in which its tab sent it, unless it was refused. */
function* sendsOf({ sends, server, isOwed }) {
  for (const { id, text, thread, person, isRefused, outcome } of sends) {
    const count = server.rooms.get(thread).log.filter((event) => event.client_id === id).length;
    if (isRefused && count > 0) yield `“${text}” was refused, and is in the log`;
    if (!isRefused && count > 1) yield `“${text}” is in the log ${count} times`;
    const isSent = isRefused || count > 0;
    if (!isSent && isOwed({ id, person })) yield `“${text}” is not in the log`;
    const expected = isRefused ? 'forbidden' : 'stored';
    if (!person.process.isDead && outcome !== expected) yield `the promise of “${text}” has ended as ${outcome}`;
  }
  for (const room of server.rooms.values()) if (!room.hasLostLog) yield* orderOf(room, sends);
}

function* orderOf(room, sends) {
  const newest = new Map();
  for (const event of room.log) {
    const index = sends.findIndex(({ id }) => id === event.client_id);
    if (index < 0) continue;
    const { person, text } = sends[index];
    if (index < (newest.get(person) ?? -1)) yield `“${text}” comes after “${sends[newest.get(person)].text}”, which was sent later`;
    newest.set(person, Math.max(index, newest.get(person) ?? -1));
  }
}

/** Each change of a message that is still there has taken effect, unless it was refused or its log was lost. */
function changesOf({ changes, server, refusals }) {
  const missing = changes.filter(({ op, thread, messageID, text, person }) => {
    const room = server.rooms.get(thread);
    const message = room.message(messageID);
    // A change has no ID that tells whether the device has kept it.
    if (room.hasLostLog || person.process.isDead || !message || message.deleted) return false;
    return op === 'delete' || (op === 'edit' && !room.log.some((event) => event.type === 'edited' && event.text === text));
  });
  // The tabs do not tell which change was refused.
  return missing.length > refusals ? missing.map(({ op, messageID }) => `the ${op} of ${messageID} has no effect`) : [];
}

function* stateOf({ server }, { process, client, collections, isReady }) {
  const { name } = process;
  if (!isReady || client.state !== 'open') {
    yield `${name} is ${isReady ? client.state : 'not ready'}`;
    return;
  }
  for (const room of server.rooms.values()) {
    const thread = client.thread(room.id);
    const expected = { epoch: room.head > 0 ? room.epoch : thread?.epoch, seq: room.head, ...(!room.isReadBack && { unread: room.unread }) };
    for (const [field, value] of Object.entries(expected)) if (thread?.[field] !== value) yield `${name} has ${field} ${thread?.[field]} of ${room.id}, not ${value}`;
    const mute = server.muteOf(room);
    const told = mute && { ...(mute.until_ms && { untilMs: mute.until_ms }), ...(mute.reason && { reason: mute.reason }) };
    if (JSON.stringify(thread?.mute) !== JSON.stringify(told)) yield `${name} has the mute ${JSON.stringify(thread?.mute)} of ${room.id}, not ${JSON.stringify(told)}`;
    const collection = collections.get(room.id);
    const items = shown(collection.items.filter(({ state }) => state !== 'failed'));
    if (collection.error) yield `${name} cannot show ${room.id}: ${collection.error}`;
    if (!collection.isLoaded) yield `${name} has not loaded ${room.id}`;
    const first = items[0]?.seq ?? 0;
    const messages = logged(room.messages.filter(({ seq }) => seq >= first));
    if (JSON.stringify(items) !== JSON.stringify(messages)) yield `${name} shows of ${room.id} ${differenceOf(items, messages)}`;
    for (const { state, text } of collection.items) if (state === 'pending' || state === 'accepted') yield `${name} shows “${text}” as ${state}`;
  }
}

function differenceOf(items, messages) {
  const index = items.findIndex((item, at) => JSON.stringify(item) !== JSON.stringify(messages[at]));
  return index < 0 ? `${items.length} of ${messages.length} messages` : `${JSON.stringify(items[index])} instead of ${JSON.stringify(messages[index])}`;
}

/** One connection for all tabs of a device. */
function* socketsOf({ server, living, isTabbed }) {
  const expected = isTabbed ? new Set(living.map(({ process }) => process.device)).size : living.length;
  if (server.open.length !== expected) yield `${server.open.length} sockets are open, not ${expected}`;
}
