// The view of one user or thread: sockets on all nodes, positions, members, and actions.
import * as api from './api.js';
import { confirm } from './confirm.js';
import * as format from './format.js';
import { RoomActions } from './roomActions.js';
import { UserActions } from './userActions.js';
import { UserSessions } from './userSessions.js';
import { byID, element, reconcile, setNote, setText } from '../shared/dom.js';
import { visible } from '../shared/visible.js';

/** The number of members shown initially, and the maximum number. */
const [FEW_MEMBERS, MANY_MEMBERS] = [50, 200];
/** The maximum number of positions listed for one socket. A user's other threads follow in order of activity. */
const POSITIONS = 3;
/** Maximum length of a title beside a position, in characters. */
const TITLE = 24;

/** Shows the subject of the address: `#/user/ID` or `#/thread/ID`. */
export class DetailView {
  /** The subject as `{kind, id}`; `null` if nothing is shown. */
  #subject = null;
  #limit = FEW_MEMBERS;
  #shown = null;
  #onSignedOut;
  #userActions = new UserActions((done) => this.#afterChange(done));
  #userSessions = new UserSessions((done) => this.#afterChange(done));
  #roomActions = new RoomActions((done) => this.#afterChange(done));

  constructor(onSignedOut) {
    this.#onSignedOut = onSignedOut;
    byID('revoke').addEventListener('click', () => this.#revoke());
    byID('members-more').addEventListener('click', () => {
      this.#limit = MANY_MEMBERS;
      this.refresh();
    });
    byID('add-member').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#addMember();
    });
  }

  /** Shows the subject of an address. */
  async open(hash) {
    const match = /^#\/(user|thread)\/([^/]+)$/.exec(hash);
    this.#subject = match && { kind: match[1], id: decode(match[2]) };
    this.#limit = FEW_MEMBERS;
    this.#shown = null;
    setNote(byID('detail-note'), null);
    setNote(byID('member-error'), null);
    this.#userActions.forget();
    this.#userSessions.forget();
    this.#roomActions.forget();
    byID('detail').hidden = true;
    await this.refresh();
    if (!this.#subject || byID('detail').hidden) return;
    byID('detail').scrollIntoView({ block: 'start' });
    byID('detail-title').focus({ preventScroll: true });
  }

  /** Refreshes the view. */
  async refresh() {
    const subject = this.#subject;
    if (!subject) return;
    try {
      const found = await (subject.kind === 'user' ? api.user(subject.id) : api.thread(subject.id, this.#limit));
      // Another subject may have been requested in the meantime.
      if (subject === this.#subject) this.#render(found);
    } catch (error) {
      if (subject !== this.#subject) return;
      if (error.status === 401 || error.status === 403) return this.#onSignedOut(error);
      // The previous data stays visible.
      if (!this.#shown) this.#renderNothing(error);
      else setNote(byID('detail-note'), error.message);
    }
  }

  /** @param done what happened, as a text, or as `{isGone, text}` if the subject does not exist any longer */
  async #afterChange(done) {
    if (done.isGone) {
      location.hash = '#/';
      setNote(byID('search-note'), done.text);
      return;
    }
    // A new password ends sessions too.
    await Promise.all([this.refresh(), this.#userSessions.load()]);
    setNote(byID('detail-note'), done);
  }

  #renderNothing(error) {
    setText(byID('detail-kind'), this.#subject.kind === 'user' ? 'User' : 'Thread');
    setText(byID('detail-title'), error.status === 404 ? 'Not found' : 'Could not be looked up');
    setText(byID('detail-id'), this.#subject.id);
    setNote(byID('detail-note'), error.message);
    for (const id of ['facts', 'sockets']) byID(id).replaceChildren();
    for (const id of ['user-part', 'thread-part', 'revoke', 'sockets-empty']) byID(id).hidden = true;
    setText(byID('sockets-heading'), '');
    byID('detail').hidden = false;
  }

  #render(found) {
    this.#shown = found;
    const isUser = this.#subject.kind === 'user';
    byID('detail').hidden = false;
    byID('detail').dataset.kind = this.#subject.kind;
    byID('user-part').hidden = !isUser;
    byID('thread-part').hidden = isUser;
    byID('revoke').hidden = !isUser;
    const silent = found.silent_nodes;
    setNote(byID('detail-note'), silent.length ? `No answer from ${silent.join(', ')}: what is there is missing.` : null);
    if (isUser) this.#renderUser(found);
    else this.#renderThread(found);
    this.#renderSockets(found, isUser);
  }

  // User

  #renderUser(found) {
    const { user, threads, has_more_threads: hasMore, socket_count: sockets } = found;
    this.#userActions.render(found);
    this.#userSessions.render(user);
    setText(byID('detail-kind'), 'User');
    setText(byID('detail-title'), visible(user.username));
    setText(byID('detail-id'), user.id);
    const facts = [['Threads', hasMore ? `more than ${threads.length}` : String(threads.length)], ['Sockets', String(sockets)]];
    if (found.is_operator) facts.push(['Rights', 'operator']);
    if (user.display_name) facts.unshift(['Shown as', visible(user.display_name)]);
    this.#renderFacts(facts);
    byID('places-empty').hidden = threads.length > 0;
    reconcile(byID('places'), threads.map((thread) => ({ key: thread.id, thread })), () => {
      const row = element('tr', {}, ...['Thread', 'Role', 'Newest', 'Read to', 'Unread'].map((label) => element('td', { data: { label } })));
      for (const index of [2, 3, 4]) row.children[index].classList.add('number');
      row.firstElementChild.append(element('a'));
      return row;
    }, (row, { thread }) => {
      const [name, role, seq, read, unread] = row.children;
      name.firstElementChild.href = `#/thread/${encodeURIComponent(thread.id)}`;
      setText(name.firstElementChild, visible(thread.kind === 'direct' ? `direct with ${thread.title}` : thread.title));
      setText(role, thread.role.replace('_', ' '));
      setText(seq, String(thread.seq));
      setText(read, String(thread.read_seq));
      setText(unread, String(thread.unread));
    });
  }

  async #revoke() {
    const { user } = this.#shown;
    const isMeant = await confirm({
      title: `Revoke ${visible(user.username)}'s sessions?`,
      text: 'All sessions end, and all sockets close with 4001 on every node. The user can log in again.',
      action: 'Revoke',
    });
    if (!isMeant) return;
    try {
      const { sessions } = await api.revokeSessions(user.id);
      await Promise.all([this.refresh(), this.#userSessions.load()]);
      setNote(byID('detail-note'), sessions === 1 ? '1 session was ended.' : `${sessions} sessions were ended.`);
    } catch (error) {
      setNote(byID('detail-note'), error.message);
    }
  }

  // Thread

  #renderThread(found) {
    const { thread } = found;
    const isRoom = thread.kind === 'room';
    this.#roomActions.render(found);
    setText(byID('detail-kind'), isRoom ? 'Room' : 'Direct thread');
    setText(byID('detail-title'), isRoom ? visible(thread.title) : 'Between two users');
    setText(byID('detail-id'), thread.id);
    const missing = found.seq - found.stored_seq;
    this.#renderFacts([
      ['Newest event', found.seq ? `${found.seq}, ${format.ago(found.date_ms, Date.now())}` : 'none yet'],
      ['Messages', String(found.messages)],
      ['Not stored yet', missing > 0 ? String(missing) : 'nothing'],
      ['Epoch', found.epoch ?? '–'],
      ['On nodes', found.nodes.join(', ') || 'none'],
      ['Sockets', String(found.socket_count)],
    ]);
    byID('add-member').hidden = !isRoom;
    byID('members-more').hidden = !found.next_cursor || this.#limit === MANY_MEMBERS;
    const count = found.members.length;
    setText(byID('members-heading'), found.next_cursor ? `Members (the first ${count})` : `Members (${count})`);
    reconcile(byID('members'), found.members.map((member) => ({ key: member.user.id, member })), () => {
      const remove = element('button', { type: 'button', class: 'link' }, 'Remove');
      const row = element('li', {}, element('a'), element('span', { class: 'hint' }), remove);
      remove.addEventListener('click', () => this.#removeMember(row.dataset.key, row.firstElementChild.textContent));
      return row;
    }, (row, { member }) => {
      const [link, role, remove] = row.children;
      link.href = `#/user/${encodeURIComponent(member.user.id)}`;
      setText(link, visible(member.user.username));
      setText(role, member.role.replace('_', ' '));
      remove.hidden = !isRoom;
      remove.setAttribute('aria-label', `Remove ${visible(member.user.username)}`);
    });
  }

  async #addMember() {
    const [name, role] = [byID('member-name').value.trim(), byID('member-role').value];
    await this.#change(() => api.addMember(this.#subject.id, name, role), () => { byID('member-name').value = ''; });
  }

  async #removeMember(id, name) {
    const isMeant = await confirm({
      title: `Remove ${name} from ${visible(this.#shown.thread.title)}?`,
      text: 'The log gets a `left` event, and their sockets are notified at once.',
      action: 'Remove',
    });
    if (isMeant) await this.#change(() => api.removeMember(this.#subject.id, id));
  }

  async #change(action, onDone = () => {}) {
    const button = byID('member-submit');
    button.disabled = true;
    setNote(byID('member-error'), null);
    try {
      await action();
      onDone();
      await this.refresh();
    } catch (error) {
      setNote(byID('member-error'), error.message);
    } finally {
      button.disabled = false;
    }
  }

  // Both

  #renderFacts(facts) {
    reconcile(byID('facts'), facts.map(([label, value]) => ({ key: label, label, value })),
      () => element('div', {}, element('dt'), element('dd')), (row, { label, value }) => {
        setText(row.firstElementChild, label);
        setText(row.lastElementChild, value);
      });
  }

  #renderSockets(found, isUser) {
    const sockets = found.sockets;
    const isCut = found.socket_count > sockets.length;
    setText(byID('sockets-heading'), isCut ? `Sockets (${sockets.length} of ${found.socket_count})` : `Sockets (${sockets.length})`);
    byID('sockets-empty').hidden = sockets.length > 0;
    byID('sockets').closest('table').hidden = sockets.length === 0;
    const titles = new Map((found.threads ?? []).map((thread) => [thread.id, thread]));
    reconcile(byID('sockets'), sockets.map((socket) => ({ key: socket.connection, socket })), () => {
      const labels = ['Node', 'User', 'Dialect', 'Address', 'Connected', 'Last seen', 'Waiting', 'Position'];
      const row = element('tr', {}, ...labels.map((label) => element('td', { data: { label } })));
      row.children[1].append(element('a'));
      row.children[6].classList.add('number');
      row.children[7].append(element('div', { class: 'positions' }));
      return row;
    }, (row, { socket }) => {
      const cells = row.children;
      const now = Date.now();
      setText(cells[0], socket.node);
      cells[1].firstElementChild.href = `#/user/${encodeURIComponent(socket.user_id)}`;
      setText(cells[1].firstElementChild, visible(socket.username));
      setText(cells[2], `${socket.dialect}, by ${socket.credential.replace('_', ' ')}`);
      setText(cells[3], socket.address);
      setText(cells[4], format.ago(socket.connected_ms, now));
      setText(cells[5], format.ago(socket.last_seen_ms, now));
      setText(cells[6], format.bytes(socket.waiting_bytes));
      cells[6].classList.toggle('bad-text', socket.waiting_bytes > 16_384);
      this.#renderPositions(cells[7], socket.positions, isUser ? titles : new Map([[found.thread.id, found]]), isUser);
    });
  }

  #renderPositions(cell, positions, threads, isUser) {
    // The lagging positions come first, because they are the relevant ones.
    const places = positions.map((position) => {
      const thread = threads.get(position.thread_id);
      return { thread, ...format.place(position, thread?.seq ?? position.seq) };
    }).sort((a, b) => b.isBehind - a.isBehind);
    const shown = places.slice(0, POSITIONS).map(({ thread, text, isBehind }, index) => ({
      key: String(index), isBehind, text: isUser ? `${visible(shorten(thread?.title ?? '?'))} ${text}` : text,
    }));
    if (places.length > POSITIONS) shown.push({ key: 'more', text: `${places.length - POSITIONS} more` });
    if (places.length === 0) shown.push({ key: 'none', text: '–' });
    reconcile(cell.firstElementChild, shown, () => element('span'), (node, { text, isBehind }) => {
      setText(node, text);
      node.classList.toggle('bad-text', Boolean(isBehind));
    });
  }
}

/** A shortened title. */
const shorten = (title) => ([...title].length > TITLE ? `${[...title].slice(0, TITLE - 1).join('')}…` : title);

/** A decoded part of an address; unchanged if it cannot be decoded. */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
