// The console: logs in, polls every two seconds, and renders.
import * as api from './api.js';
import { DetailView } from './detail.js';
import { AuditView } from './audit.js';
import { EventGroupsView } from './eventGroups.js';
import { clearForms, startForms } from './forms.js';
import { HistoryView } from './history.js';
import { LoginView } from './login.js';
import { OverviewView } from './overview.js';
import { PushesView } from './pushes.js';
import { WebhooksView } from './webhooks.js';
import { byID, setNote, setText } from '../shared/dom.js';

/** The polling interval in milliseconds, equal to the interval at which nodes publish their status. */
const INTERVAL = 2000;

const login = new LoginView(() => enter());
const overview = new OverviewView(() => poll(), (message) => setNote(byID('banner'), message));
const detail = new DetailView((error) => leave(error));
const history = new HistoryView();
const audit = new AuditView();
const eventGroups = new EventGroupsView();
const webhooks = new WebhooksView();
const pushes = new PushesView();
let timer = null;
/** Counts logins, so that responses to an earlier login are ignored. */
let visit = 0;
let isPolling = false;

/** Tries the available credentials: the key of this tab, or the cookie. */
async function enter() {
  visit += 1;
  try {
    const first = await api.overview();
    const threads = await api.topThreads();
    login.hide();
    byID('app').hidden = false;
    overview.clear();
    history.clear();
    audit.clear();
    eventGroups.clear();
    webhooks.clear();
    pushes.clear();
    pushes.refresh(first.nodes);
    show(first, threads);
    detail.open(location.hash);
    showHistory();
    schedule();
  } catch (error) {
    leave(error);
  }
}

/** Returns to the login page. */
function leave(error) {
  visit += 1;
  clearTimeout(timer);
  const wasIn = !byID('app').hidden;
  byID('app').hidden = true;
  const hadKey = api.key() !== '';
  if (error?.status === 401 || error?.status === 403) api.setKey('');
  login.show(error && reason(error.status, hadKey, wasIn, error.message));
}

/** The reason that the login failed, as text; `null` on the first visit. */
function reason(status, hadKey, wasIn, message) {
  if (status === 403) return `You are logged in, but ${message}.`;
  if (status !== 401) return message;
  if (hadKey) return wasIn ? 'The API key is no longer valid.' : 'The API key is wrong.';
  return wasIn ? 'Your session has ended.' : null;
}

async function poll() {
  if (isPolling) return;
  isPolling = true;
  const mine = visit;
  try {
    const [now, threads] = await Promise.all([api.overview(), api.topThreads()]);
    if (mine !== visit) return;
    setNote(byID('banner'), null);
    byID('app').classList.remove('stale');
    show(now, threads);
    await Promise.all([detail.refresh(), showHistory(), eventGroups.refresh(), webhooks.refresh(), pushes.refresh(now.nodes)]);
  } catch (error) {
    if (mine !== visit) return;
    if (error.status === 401 || error.status === 403) return leave(error);
    byID('app').classList.add('stale');
    setNote(byID('banner'), `${error.message} Trying again.`);
  } finally {
    isPolling = false;
    if (mine === visit) schedule();
  }
}

/** Without graphs the page stays as it is, and is not called stale. */
async function showHistory() {
  try {
    await history.refresh();
  } catch (error) {
    setNote(byID('charts-note'), error.message);
  }
}

function schedule() {
  clearTimeout(timer);
  // A hidden page does not poll.
  if (!document.hidden) timer = setTimeout(poll, INTERVAL);
}

function show(now, threads) {
  overview.render(now, threads);
  setText(byID('updated'), `by ${now.node}, ${new Date(now.date_ms).toLocaleTimeString()}`);
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !byID('app').hidden) poll();
});
window.addEventListener('hashchange', () => {
  if (!byID('app').hidden) detail.open(location.hash);
});
byID('sign-out').addEventListener('click', async () => {
  if (api.key()) api.setKey('');
  else await api.logOut().catch(() => {});
  clearForms();
  location.hash = '#/';
  leave(null);
});
startForms();
enter();
