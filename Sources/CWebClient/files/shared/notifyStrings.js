// The texts of the dialogs about notifications, which are loaded when they are opened. See strings.js.
import { S } from './strings.js';

/** The texts by language. Entries with parameters are functions. */
export const NOTIFY_STRINGS = {
  en: {
    device: 'Notify me on this device',
    states: {
      off: 'You see new messages only while you look at this page.', on: 'Also while this page is closed.',
      server: 'Only while this page is open, because this server sends nothing to closed pages.',
      browser: 'Only while this page is open, because this browser receives nothing for closed pages.',
      failed: 'Only while this page is open, because the browser could not register. Try again later.',
      blocked: 'The browser does not allow notifications from this page.', none: 'This browser shows no notifications.',
    },
    what: 'What notifies me', everywhere: 'This applies to all of your devices.',
    kinds: { direct: 'Direct conversations', group: 'Groups', room: 'Rooms' },
    levels: { all: 'All messages', mentions: 'Mentions only', none: 'Nothing' }, level: 'Notify me of', usual: (level) => `As everywhere (${level})`,
    pause: 'Pause', pauses: { none: 'No pause', hour: 'For 1 hour', hours: 'For 8 hours', day: 'For 24 hours', week: 'For 1 week' }, until: (time) => `Until ${time}`,
    quiet: 'Quiet hours, every day', from: 'From', to: 'Until', zone: 'Time zone', wrongTimes: 'Quiet hours need a beginning and another time as their end.',
    unchanged: 'Nothing was changed.', of: (title) => `Notifications of ${title}`, tooMany: 'You have settings for 1,000 conversations, which is the maximum.',
  },
  de: {
    device: 'Auf diesem Gerät benachrichtigen',
    states: {
      off: 'Neue Nachrichten siehst du nur, solange du diese Seite ansiehst.', on: 'Auch, wenn diese Seite geschlossen ist.',
      server: 'Nur, solange diese Seite offen ist, denn dieser Server sendet nichts an geschlossene Seiten.',
      browser: 'Nur, solange diese Seite offen ist, denn dieser Browser empfängt nichts für geschlossene Seiten.',
      failed: 'Nur, solange diese Seite offen ist, denn der Browser konnte sich nicht anmelden. Versuche es später noch einmal.',
      blocked: 'Der Browser erlaubt dieser Seite keine Benachrichtigungen.', none: 'Dieser Browser zeigt keine Benachrichtigungen.',
    },
    what: 'Worüber du benachrichtigt wirst', everywhere: 'Das gilt für alle deine Geräte.',
    kinds: { direct: 'Direkte Unterhaltungen', group: 'Gruppen', room: 'Räume' },
    levels: { all: 'Alle Nachrichten', mentions: 'Nur Erwähnungen', none: 'Nichts' }, level: 'Benachrichtigen über', usual: (level) => `Wie überall (${level})`,
    pause: 'Pause', pauses: { none: 'Keine Pause', hour: 'Für 1 Stunde', hours: 'Für 8 Stunden', day: 'Für 24 Stunden', week: 'Für 1 Woche' }, until: (time) => `Bis ${time}`,
    quiet: 'Ruhezeit, jeden Tag', from: 'Von', to: 'Bis', zone: 'Zeitzone', wrongTimes: 'Eine Ruhezeit braucht einen Beginn und eine andere Zeit als Ende.',
    unchanged: 'Es wurde nichts geändert.', of: (title) => `Benachrichtigungen von ${title}`, tooMany: 'Du hast Einstellungen für 1.000 Unterhaltungen; mehr sind nicht möglich.',
  },
};

export const N = NOTIFY_STRINGS[S.language];
