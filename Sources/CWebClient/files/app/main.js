// The entry point of the client: login state, the page shown, and the address.
import * as api from './api.js';
import { partLabel } from './attachments.js';
import { Chat } from './chat.js';
import { ask, closeDialogs } from './dialog.js';
import { explain } from '../shared/errors.js';
import { byID, retryAvatars, setNote, setText } from '../shared/dom.js';
import { removeDrafts } from './drafts.js';
import { nextStep, takeLoginError } from './entrance.js';
import { keep, kept } from '../shared/localStore.js';
import { mentions, plain } from './markdown.js';
import { areOn, clearNotifications, endDevice, forgetNotifications, notify, Visibility } from './notify.js';
import { forgetPictures, keepPictures } from './pictures.js';
import { indexedDBStorage } from '../client/storage.js';
import { unsentCount } from '../client/outbox.js';
import { unreadTotal } from '../client/roster.js';
import { installShell, lookForUpdate, startShell } from './shell.js';
import { site } from '../shared/site.js';
import { fillIn, S } from '../shared/strings.js';
import { EntranceView, isFramed, leaveSite } from './viewEntrance.js';
import { InboxView } from './viewInbox.js';
import { announce } from './viewList.js';
import { LoginView } from './viewLogin.js';
import { openMembers } from './viewMembers.js';
import { openNew } from './viewNew.js';
import { reloadPictures } from './viewParts.js';
import { openSearch } from './viewSearch.js';
import { openSettings } from './viewSettings.js';
import { InvitationsView } from './viewInvitations.js';
import { openJoin } from './viewJoin.js';
import { ThreadView } from './viewThread.js';
import { codeOf } from './waysIn.js';

/** The session cookie is not readable here, so the name and ID are stored separately. */
const IDENTITY = 'parley.me';
/** The time that changes of a hidden page are collected for, in milliseconds. */
const HIDDEN_DELAY = 200;
/** The time that a short message is shown for. */
const TOAST = 6_000;

fillIn(document);
const login = new LoginView(entered);
const entrance = new EntranceView(() => begin());
/** The state of one login: `{chat, inbox, thread, visibility, controller, isLeaving}`. */
let session = null;
let isUpdated = false;
/** The code of a login at the OpenID provider that failed, until it is shown. */
let loginError = null;

// MARK: Logging in and out

function rememberedIdentity() {
  try {
    const me = JSON.parse(kept(IDENTITY));
    return me?.id && me?.username ? me : null;
  } catch {
    return null;
  }
}

/** Asks the server who uses the page, whatever this device remembers, and acts on the answer. */
async function begin() {
  const known = rememberedIdentity();
  // In a site, another user may have logged in since.
  if (site.login) entrance.wait();
  else if (known) start(known);
  const asked = session;
  const answer = await whoIsHere();
  // The answer is no longer about this session, or a user has entered by the form.
  if (session !== asked) return;
  const step = nextStep({ answer, known, site, sentAt: entrance.sentAt, isFramed, now: Date.now() });
  if (step === 'enter') {
    if (session && session.chat.me.id !== answer.me.id) await end(null);
    if (session) keep(IDENTITY, JSON.stringify({ id: answer.me.id, username: answer.me.username }));
    else entered(answer.me);
  } else if (step === 'open') {
    if (!session) start(known);
  } else if (session) {
    end(S.loggedOut);
  } else if (known && answer.isSignedOut) {
    // What this device has kept is not for the next visitor.
    keep(IDENTITY, null);
    Promise.all([indexedDBStorage.removeRead(known.id), forgetPictures(), forgetNotifications(known.id)]).finally(() => admit(step));
  } else {
    admit(step, answer.error);
  }
}

/** Shows the way in to a visitor. */
function admit(step, error = null) {
  // For measurements of the loading.
  performance.mark('parley-entrance');
  if (step === 'send') entrance.send();
  else if (step === 'invite') entrance.invite(S.notLoggedIn);
  else if (step === 'retry') entrance.retry(error ? explain(error) : S.noConnection);
  else login.show(takeLoginNotice() ?? (error?.suspension ? explain(error) : null));
}

function takeLoginNotice() {
  const code = loginError;
  loginError = null;
  return code && explain({ code, message: S.errors.oidc_rejected });
}

/** @returns `{me}`, `{isSignedOut}` or `{error}` */
async function whoIsHere() {
  try {
    return { me: await api.me() };
  } catch (error) {
    return error.isSignedOut ? { isSignedOut: true } : { error };
  }
}

function entered(me) {
  keep(IDENTITY, JSON.stringify({ id: me.id, username: me.username }));
  start(me);
}

function start(me) {
  const controller = new AbortController();
  const { signal } = controller;
  const chat = new Chat(me, {
    onChange: renderSoon, onLive: arrived, onSignedOut: signedOut, onRefused: (error) => toast(S.refused(explain(error))),
  });
  const visibility = new Visibility(me.id);
  const go = (thread, seq) => { location.hash = seq === undefined ? `#/t/${thread}` : `#/t/${thread}/${seq}`; };
  session = { chat, inbox: new InboxView(chat), invitations: new InvitationsView(chat, go), thread: new ThreadView(chat, signal), visibility, controller };
  const click = (id, action) => byID(id).addEventListener('click', action, { signal });
  click('banner-action', () => (isUpdated && chat.client.state === 'open' ? location.reload() : chat.client.reconnect()));
  click('open-new', () => openNew(chat, go));
  click('open-search', () => openSearch(chat, go));
  click('open-members', () => openMembers(chat));
  click('open-settings', () => openSettings(chat, leave));
  document.addEventListener('visibilitychange', () => {
    visibility.update();
    chat.visibilityChanged();
    clearOpen();
  }, { signal });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || document.querySelector('dialog')) return;
    event.preventDefault();
    openSearch(chat, go);
  }, { signal });
  addEventListener('online', () => {
    chat.client.wake();
    render();
  }, { signal });
  addEventListener('offline', render, { signal });
  addEventListener('hashchange', () => follow({ isByUser: true }), { signal });
  login.hide();
  entrance.entered();
  byID('app').hidden = false;
  keepPictures(me.id);
  installShell();
  visibility.update();
  follow({ isByUser: false });
  render();
  if (areOn(me.id)) withNotifications((part) => part.resume(me.id));
}

/** Uses the script with the settings of notifications, which few visitors need. @returns `null` without it */
async function withNotifications(use) {
  const part = await import('./viewNotifications.js').catch(() => null);
  return part && use(part);
}

/** Removes the notification of the thread that the user looks at. */
function clearOpen() {
  const { openID } = session.chat;
  if (openID && document.visibilityState === 'visible') clearNotifications(openID).catch(() => {});
}

/** @param forgets whether to remove all data of the user from this device; otherwise unsent data stays */
async function end(notice, forgets = false) {
  if (!session) return;
  const { chat, controller, visibility } = session;
  session = null;
  chat.stop();
  visibility.end();
  controller.abort();
  // The cookie may belong to another user.
  if (rememberedIdentity()?.id === chat.me.id) keep(IDENTITY, null);
  closeDialogs();
  byID('app').hidden = true;
  byID('threads').replaceChildren();
  byID('messages').replaceChildren();
  byID('text').value = '';
  if (site.login) entrance.invite(notice ?? S.notLoggedIn);
  else login.show(takeLoginNotice() ?? notice);
  await Promise.all([forgetPictures(), forgetNotifications(chat.me.id)]);
  if (forgets) {
    removeDrafts(chat.me.id);
    await indexedDBStorage.remove(chat.me.id);
  } else {
    await indexedDBStorage.removeRead(chat.me.id);
  }
}

/** @param dialog the calling dialog, `{close, note}` */
async function leave({ close, note }) {
  const left = session;
  const { chat } = left;
  const count = unsentCount(chat.outbox);
  if (count > 0 && !(await ask(S.logOutQuestion(count), S.logOut))) return;
  left.isLeaving = true;
  if (site.login) {
    close();
    history.replaceState(null, '', '#/');
    // A session of the site does not take its devices with it.
    await endDevice(chat.me.id);
    await end(null, true);
    leaveSite();
    return;
  }
  try {
    await api.logOut();
  } catch (error) {
    if (!error.isSignedOut) {
      left.isLeaving = false;
      note(explain(error));
      return;
    }
  }
  close();
  if (session === left) signedOut();
}

/** Handles the end of the session. The server may close the socket before it answers the logout of this tab. */
function signedOut() {
  if (!session?.isLeaving) {
    end(S.loggedOut);
    return;
  }
  history.replaceState(null, '', '#/');
  end(null, true);
}

// Another tab logged in or out, so the cookie no longer belongs to this tab's user.
addEventListener('storage', (event) => {
  if (event.key === IDENTITY && rememberedIdentity()?.id !== session?.chat.me.id) location.reload();
});

// A page that the browser keeps for the way back would stay connected, as if its user could see it.
addEventListener('pagehide', ({ persisted }) => { if (persisted) session?.chat.stop(); });
addEventListener('pageshow', ({ persisted }) => { if (persisted) location.reload(); });

// MARK: Address

/** Opens the thread in the URL, `#/t/<id>` or `#/t/<id>/<seq>`, or the inbox. */
function follow({ isByUser }) {
  const { chat, thread } = session;
  const previous = chat.openID;
  const [, id = null, seq] = location.hash.match(/^#\/t\/([A-Za-z0-9._-]{1,90})(?:\/(\d{1,15}))?$/) ?? [];
  chat.open(id, seq === undefined ? null : Number(seq));
  // The `seq` is removed once the message is shown, so that a reload begins at the newest message.
  if (seq !== undefined) history.replaceState(null, '', `#/t/${id}`);
  render();
  clearOpen();
  const code = codeOf(location.hash);
  if (code) {
    closeDialogs();
    openJoin(code, chat, (thread) => { location.hash = `#/t/${thread}`; }, () => history.replaceState(null, '', '#/'));
    return;
  }
  if (!isByUser || seq !== undefined) return;
  if (id) thread.focus();
  else if (previous) (document.querySelector(`#threads a[href="#/t/${previous}"]`) ?? byID('inbox-heading')).focus();
}

// MARK: Layout

let isRendering = false;

/** Renders once for all changes of a frame, so that a burst of messages does not block the page. */
function renderSoon() {
  if (isRendering) return;
  isRendering = true;
  const go = () => {
    isRendering = false;
    render();
  };
  // A hidden page has no frames, but its title is visible.
  if (document.visibilityState === 'visible') requestAnimationFrame(go);
  else setTimeout(go, HIDDEN_DELAY);
}

function render() {
  if (!session) return;
  const { chat, inbox, invitations, thread } = session;
  byID('app').dataset.pane = chat.openID ? 'thread' : 'inbox';
  renderBanner(chat);
  thread.render();
  inbox.render();
  invitations.render();
  const elsewhere = unreadTotal(chat.threads, chat.openID);
  byID('back-badge').hidden = elsewhere === 0;
  setText(byID('back-badge'), elsewhere > 99 ? '99+' : `${elsewhere}`);
  const unread = unreadTotal(chat.threads);
  const place = chat.openThread ? S.pageTitle(chat.titleOf(chat.openThread)) : S.appName;
  const title = unread > 0 ? `(${unread}) ${place}` : place;
  if (document.title !== title) document.title = title;
  if (unread > 0) navigator.setAppBadge?.(unread).catch(() => {});
  else navigator.clearAppBadge?.().catch(() => {});
}

function renderBanner(chat) {
  const { state, reason, suspension } = chat.client;
  const isStopped = state === 'stopped';
  const isWaiting = state === 'connecting';
  const waiting = unsentCount(chat.outbox);
  const isOffline = navigator.onLine === false;
  let text = '';
  if (isStopped) text = suspension ? explain({ suspension }) : S.stopped(reason);
  else if (isWaiting && isOffline) text = waiting > 0 ? S.offlineWith(waiting) : S.offline;
  else if (isWaiting) text = waiting > 0 ? S.connectingWith(waiting) : S.connecting;
  else if (isUpdated) text = S.newVersion;
  byID('banner').hidden = text === '';
  byID('banner').classList.toggle('stopped', isStopped);
  byID('banner').classList.toggle('calm', !isStopped && !isWaiting);
  setText(byID('banner-text'), text);
  byID('banner-action').hidden = !isStopped && !(isUpdated && !isWaiting);
  setText(byID('banner-action'), isStopped ? S.reconnect : S.reload);
  if (state === 'open' && session.state === 'connecting') {
    lookForUpdate();
    reloadPictures(byID('messages'));
    retryAvatars(document);
  }
  session.state = state;
}

let toastTimer = null;

function toast(text) {
  clearTimeout(toastTimer);
  setNote(byID('toast'), text);
  toastTimer = setTimeout(() => setNote(byID('toast'), null), TOAST);
}

/** Handles a new message of another user. */
async function arrived(message) {
  const { chat, visibility } = session;
  const title = chat.titleOf(chat.client.thread(message.thread_id));
  const sender = chat.nameFor(message.sender_id, message.sender_name);
  const text = plain(message.text) || (message.parts?.[0] ? partLabel(message.parts[0]) : S.attachment);
  const isOpen = message.thread_id === chat.openID;
  if (document.visibilityState === 'visible' && (isOpen || mentions(message.text, chat.me.username))) {
    announce(isOpen ? S.announce(sender, text) : S.announceIn(sender, title, text));
  }
  if (!chat.client.isLeader || !areOn(chat.me.id) || await visibility.isSomebodyLooking()) return;
  if (await withNotifications((part) => part.isWanted(chat, message)) === false) return;
  const heading = chat.client.thread(message.thread_id)?.kind === 'direct' ? sender : `${sender} · ${title}`;
  await notify({ title: heading, body: text.slice(0, 300), thread: message.thread_id, seq: message.seq });
}

// MARK: Start

startShell({
  onUpdated: () => {
    isUpdated = true;
    render();
  },
  onOpen: (thread) => { location.hash = `#/t/${thread}`; },
  isLooking: (thread) => document.hasFocus() && document.visibilityState === 'visible' && session?.chat.openID === thread,
});

// The keyboard of an iPhone covers the page instead of resizing it; this resizes it.
visualViewport?.addEventListener('resize', () => {
  document.documentElement.style.setProperty('--height', `${visualViewport.height}px`);
});

const failed = takeLoginError(location.href);
if (failed.code) {
  loginError = failed.code;
  history.replaceState(null, '', failed.place);
}
begin();
