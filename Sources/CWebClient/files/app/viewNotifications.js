// The dialogs about notifications, on this device and of one conversation, and what needs their settings. Loaded when it is needed.
import * as api from './api.js';
import { labelled, openDialog } from './dialog.js';
import { element, setText } from '../shared/dom.js';
import { explain } from '../shared/errors.js';
import { untilTime } from '../shared/format.js';
import { areOn, endDevice, keepChoice, keepDevice, unsubscribe } from './notify.js';
import { N } from '../shared/notifyStrings.js';
import { changesOf, isMention, KINDS, LEVELS, notifies, ofThread, pauseOf, PAUSES, Settings, threadChangesOf, valuesOf, wrongIn } from './notifySettings.js';
import { register } from './push.js';
import { S } from '../shared/strings.js';
import { visible } from '../shared/visible.js';

/** The longest wait for the service worker, which is installed after a first login, in milliseconds. */
const WAIT = 10_000;
const PATH = '/v1/me/notifications';

/** The settings of the user with this ID. */
let settingsOf = null;
let settings = null;

function settingsFor(userID) {
  if (settingsOf !== userID) settings = new Settings(() => api.rest.call('GET', PATH));
  settingsOf = userID;
  return settings;
}

// MARK: For the page

/** Whether the settings of the user let a message notify. */
export async function isWanted({ me, client }, { thread_id: threadID, text }) {
  const now = Date.now();
  const kind = client.thread(threadID)?.kind;
  return notifies(await settingsFor(me.id).recent(now), { threadID, kind, isMention: isMention(text ?? '', me.username) }, now);
}

/** Registers this device again, as the server expects it at each start. */
export async function resume(userID) {
  await subscribe(userID).catch(() => {});
}

/** @returns the state, a key of `N.states` */
async function subscribe(userID) {
  const container = navigator.serviceWorker;
  const late = () => new Promise((resolve, reject) => { setTimeout(() => reject(new Error('no service worker')), WAIT); });
  const registration = await container?.getRegistration() ? await Promise.race([container.ready, late()]) : null;
  const { id = null, lacks } = await register(registration, api.rest);
  if (!areOn(userID)) {
    // The user has switched it off, or has left, during the calls.
    await unsubscribe();
    return 'off';
  }
  keepDevice(userID, id);
  return lacks ?? 'on';
}

async function switchOn(userID) {
  if (await Notification.requestPermission() !== 'granted') return 'blocked';
  keepChoice(userID, true);
  return subscribe(userID).catch(() => 'failed');
}

async function switchOff(userID) {
  keepChoice(userID, false);
  await endDevice(userID);
  await unsubscribe().catch(() => {});
  return 'off';
}

// MARK: The dialogs

const select = (id, labels, chosen) => element('select', { id }, ...Object.entries(labels).map(([value, label]) => element('option', { value, selected: value === chosen }, label)));

/** A choice of how long nothing notifies. @param until the end of the present pause */
function pauseSelect(id, until, now) {
  const present = pauseOf(until, now);
  const labels = { ...N.pauses, ...(present === 'present' && { present: N.until(untilTime(until, now)) }) };
  return select(id, Object.fromEntries(['none', 'present', ...Object.keys(PAUSES)].filter((key) => key in labels).map((key) => [key, labels[key]])), present);
}

/**
 * A form that saves by one call, and is made again of the answer.
 * @param rows `fields(answer, now)` returns `{rows, values}`, elements and a function
 * @param changes `(answer, values, now)` returns the body of a call; `null` for none
 */
function formOf({ label, known, fields, changes, call, wrong = () => null }) {
  const status = element('p', { class: 'hint', attributes: { role: 'status' } });
  const button = element('button', { class: 'primary', type: 'submit', data: { action: 'save-notifications' } }, S.save);
  const form = element('form', { class: 'stack', noValidate: true, attributes: { 'aria-label': label } });
  let answer = known;
  let made = null;
  const fill = () => {
    made = fields(answer, Date.now());
    form.replaceChildren(...made.rows, element('div', { class: 'dialog-actions' }, button), status);
  };
  const say = (className, text) => {
    status.className = className;
    setText(status, text);
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const values = made.values();
    const id = wrong(values);
    if (id) {
      say('error', N.wrongTimes);
      form.querySelector(`#${id}`).focus();
      return;
    }
    const body = changes(answer, values, Date.now());
    if (!body) {
      say('hint', N.unchanged);
      return;
    }
    button.disabled = true;
    try {
      answer = await call(body);
      button.disabled = false;
      fill();
      say('hint', S.saved);
      button.focus();
    } catch (error) {
      button.disabled = false;
      say('error', error.code === 'conflict' ? N.tooMany : explain(error));
    }
  });
  fill();
  return form;
}

/** The fields for what notifies everywhere. */
function everywhere(answer, now) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const values = valuesOf(answer, zone, now);
  const levels = Object.fromEntries(KINDS.map((kind) => [kind, select(`notify-${kind}`, N.levels, values[kind])]));
  const pause = pauseSelect('notify-pause', answer.muted_until_ms, now);
  const quiet = element('input', { id: 'notify-quiet', type: 'checkbox', checked: values.isQuiet });
  const [from, to] = ['from', 'to'].map((name) => element('input', { id: `notify-${name}`, type: 'time', value: values[name], required: true }));
  const zones = [...new Set([values.timezone, zone])];
  const timezone = select('notify-zone', Object.fromEntries(zones.map((each) => [each, each])), values.timezone);
  const times = element('div', { class: 'stack', hidden: !values.isQuiet },
    element('div', { class: 'inline' }, labelled(N.from, from), labelled(N.to, to)), labelled(N.zone, timezone));
  quiet.addEventListener('change', () => { times.hidden = !quiet.checked; });
  return {
    rows: [
      ...KINDS.map((kind) => labelled(N.kinds[kind], levels[kind])), labelled(N.pause, pause),
      element('label', { class: 'check', htmlFor: 'notify-quiet' }, quiet, N.quiet), times, element('p', { class: 'hint' }, N.everywhere),
    ],
    values: () => ({
      ...Object.fromEntries(KINDS.map((kind) => [kind, levels[kind].value])), pause: pause.value,
      isQuiet: quiet.checked, from: from.value.slice(0, 5), to: to.value.slice(0, 5), timezone: timezone.value,
    }),
  };
}

/** The switch for this device, with a line that says when it notifies. */
function deviceSwitch(userID) {
  const isPossible = 'Notification' in globalThis;
  const state = element('p', { class: 'hint', id: 'notify-state', attributes: { role: 'status' } });
  const box = element('input', { id: 'notify-device', type: 'checkbox', checked: areOn(userID), disabled: !isPossible, attributes: { 'aria-describedby': state.id } });
  const perform = async (action) => {
    box.disabled = true;
    setText(state, S.loading);
    const result = await action(userID);
    box.disabled = false;
    box.checked = areOn(userID);
    setText(state, N.states[result]);
  };
  box.addEventListener('change', () => perform(box.checked ? switchOn : switchOff));
  if (box.checked) perform((id) => subscribe(id).catch(() => 'failed'));
  else if (!isPossible) setText(state, N.states.none);
  else setText(state, Notification.permission === 'denied' ? N.states.blocked : N.states.off);
  return element('div', { class: 'stack section' }, element('label', { class: 'check', htmlFor: 'notify-device' }, box, N.device), state);
}

/** Opens a dialog and loads the settings for its form. @param make returns the form, from the settings */
async function openWith(title, make, userID, ...before) {
  const status = element('p', { class: 'hint', attributes: { role: 'status' } }, S.loading);
  const body = element('div', { class: 'stack' });
  const { dialog, note } = openDialog(title, ...before, status, body);
  try {
    const known = await settingsFor(userID).current(Date.now());
    if (!dialog.isConnected) return;
    body.append(...make(known));
  } catch (error) {
    note(explain(error));
  }
  status.remove();
}

/** Opens the settings of all notifications. */
export async function openNotifications({ me }) {
  const take = (answer) => settingsFor(me.id).took(answer, Date.now());
  await openWith(S.notifications, (known) => [
    element('h3', {}, N.what),
    formOf({
      label: N.what, known, fields: everywhere, changes: changesOf, call: async (body) => take(await api.rest.call('PATCH', PATH, body)),
      wrong: (values) => wrongIn(values) && `notify-${wrongIn(values)}`,
    }),
  ], me.id, deviceSwitch(me.id));
}

/** Opens the settings of a conversation. @param thread `{id, kind}` @param title that the conversation is shown with */
export async function openThreadNotifications({ me }, { id, kind }, title) {
  const path = `/v1/threads/${encodeURIComponent(id)}/notifications`;
  const heading = N.of(visible(title));
  await openWith(heading, (known) => [formOf({
    label: heading, known: ofThread(known, id), changes: threadChangesOf,
    fields: (answer, now) => {
      const usual = N.usual(N.levels[known.default[kind] ?? 'all']);
      const level = select('notify-level', { '': usual, ...Object.fromEntries(LEVELS.map((each) => [each, N.levels[each]])) }, answer.level ?? '');
      const pause = pauseSelect('notify-pause', answer.muted_until_ms, now);
      return { rows: [labelled(N.level, level), labelled(N.pause, pause), element('p', { class: 'hint' }, N.everywhere)], values: () => ({ level: level.value, pause: pause.value }) };
    },
    call: async (body) => {
      const answer = await api.rest.call('PATCH', path, body);
      const others = known.threads.filter((each) => each.thread_id !== id);
      known = settingsFor(me.id).took({ ...known, threads: [...others, answer] }, Date.now());
      return answer;
    },
  })], me.id);
}
