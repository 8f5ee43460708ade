// The entry point of the client: login state, the page shown, and the address.
import * as api from './api.js';
import { Chat } from './state.js';
import { byID, setNote, setText } from './dom.js';
import { unreadTotal } from './inbox.js';
import { unsentCount } from './outbox.js';
import { InboxView } from './viewInbox.js';
import { LoginView } from './viewLogin.js';
import { ThreadView } from './viewThread.js';

/** The session cookie is not readable here, so the name and id are stored beside it. */
const IDENTITY = 'parley.me';

const login = new LoginView(entered);
/** The state of one login: `{chat, views, controller}`. */
let session = null;

// MARK: Logging in and out

function rememberedIdentity() {
  try {
    const me = JSON.parse(localStorage.getItem(IDENTITY));
    return me?.id && me?.username ? me : null;
  } catch {
    return null;
  }
}

function entered(me) {
  localStorage.setItem(IDENTITY, JSON.stringify({ id: me.id, username: me.username }));
  start(me);
}

function start(me) {
  const controller = new AbortController();
  const chat = new Chat(me, ({ live }) => (live ? announce(live) : render()), () => end('You were logged out.'));
  const { signal } = controller;
  const inbox = new InboxView(chat, (id) => { location.hash = `#/t/${id}`; }, signal);
  session = { chat, inbox, thread: new ThreadView(chat, signal), controller };
  byID('logout').addEventListener('click', leave, { signal });
  byID('banner-action').addEventListener('click', () => chat.reconnect(), { signal });
  document.addEventListener('visibilitychange', () => chat.visibilityChanged(), { signal });
  addEventListener('online', () => chat.wake(), { signal });
  addEventListener('hashchange', () => follow({ isByUser: true }), { signal });
  addEventListener('beforeunload', (event) => {
    if (unsentCount(chat.outbox) > 0) event.preventDefault();
  }, { signal });
  byID('app').hidden = false;
  follow({ isByUser: false });
  chat.start();
  render();
}

function end(notice) {
  session.chat.stop();
  session.controller.abort();
  session = null;
  localStorage.removeItem(IDENTITY);
  byID('app').hidden = true;
  byID('threads').replaceChildren();
  byID('messages').replaceChildren();
  byID('text').value = '';
  login.show(notice);
}

async function leave() {
  const { chat } = session;
  const count = unsentCount(chat.outbox);
  if (count > 0 && !confirm(`${plural(count, 'message')} not sent yet. Log out all the same?`)) return;
  try {
    await api.logOut();
  } catch (error) {
    if (!error.isSignedOut) {
      setNote(byID('join-error'), error.message);
      return;
    }
  }
  if (session?.chat !== chat) return;
  history.replaceState(null, '', '#/');
  end(null);
}

// Another tab logged in or out: the cookie no longer belongs to this tab's user.
addEventListener('storage', (event) => {
  if (event.key === IDENTITY && rememberedIdentity()?.id !== session?.chat.me.id) location.reload();
});

// MARK: Address

/** Opens the thread of the address, `#/t/<id>`, otherwise the inbox. */
function follow({ isByUser }) {
  const { chat, thread } = session;
  const previous = chat.openID;
  const id = location.hash.match(/^#\/t\/([A-Za-z0-9._-]{1,90})$/)?.[1] ?? null;
  chat.open(id);
  render();
  if (!isByUser) return;
  if (id) thread.focus();
  else if (previous) (document.querySelector(`#threads a[href="#/t/${previous}"]`) ?? byID('inbox-heading')).focus();
}

// MARK: Layout

function render() {
  if (!session) return;
  const { chat, inbox, thread } = session;
  byID('app').dataset.pane = chat.openID ? 'thread' : 'inbox';
  thread.render();
  inbox.render();
  renderBanner(chat);
  const elsewhere = unreadTotal(chat.threads, chat.openID);
  byID('back-badge').hidden = elsewhere === 0;
  setText(byID('back-badge'), elsewhere > 99 ? '99+' : `${elsewhere}`);
  const unread = unreadTotal(chat.threads);
  const place = chat.openThread ? `${chat.openThread.title} – Parley` : 'Parley';
  const title = unread > 0 ? `(${unread}) ${place}` : place;
  if (document.title !== title) document.title = title;
}

function renderBanner(chat) {
  const { connectionState: state } = chat;
  const isStopped = state === 'stopped';
  const waiting = unsentCount(chat.outbox);
  const isShown = isStopped || state === 'connecting';
  let text = '';
  if (isStopped) text = chat.stopReason;
  else if (isShown) text = waiting > 0 ? `Connecting… ${plural(waiting, 'message')} not sent yet.` : 'Connecting…';
  byID('banner').hidden = !isShown;
  byID('banner').classList.toggle('stopped', isStopped);
  byID('banner-action').hidden = !isStopped;
  setText(byID('banner-text'), text);
}

const plural = (count, noun) => (count === 1 ? `1 ${noun}` : `${count} ${noun}s`);

/** Announces new messages to screen readers; the list itself is not live, or it would announce history as well. */
function announce(message) {
  const { chat } = session;
  if (message.thread_id !== chat.openID || message.sender_id === chat.me.id) return;
  setText(byID('announcer'), `${message.sender_name}: ${message.text}`);
}

// MARK: Start

// The keyboard of an iPhone covers the page instead of resizing it; this resizes it.
visualViewport?.addEventListener('resize', () => {
  document.documentElement.style.setProperty('--height', `${visualViewport.height}px`);
});

const me = rememberedIdentity();
if (me) start(me);
else login.show();
