// The texts of the dialog about a room, which is loaded when it is opened. See strings.js.
import { S } from './strings.js';

const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/** A time in its largest unit. @param names of one and of several seconds, minutes and hours */
function timeText(seconds, [second, minute, hour]) {
  if (seconds > 0 && seconds % 3600 === 0) return plural(seconds / 3600, ...hour);
  return seconds > 0 && seconds % 60 === 0 ? plural(seconds / 60, ...minute) : plural(seconds, ...second);
}

/** The texts by language. Entries with parameters are functions. */
export const ROOM_STRINGS = {
  en: {
    topic: 'Topic (below the title)', description: 'Description', rules: 'Rules',
    slow: 'Slow mode: pause after each message', noSlow: 'No pause',
    pause: (seconds) => timeText(seconds, [['second', 'seconds'], ['minute', 'minutes'], ['hour', 'hours']]),
    slowHint: 'It applies to all but the owner and the moderators.', limit: (count) => `At most ${count} characters.`,
    rights: 'What members may do', holders: { everyone: 'Everybody', moderators: 'The owner and moderators' },
    right: { write: 'Write', attach: 'Send photos and files', mention: 'Mention everybody (@all)', add: 'Add members' },
    ownerOnly: 'Only the owner changes the fields that are greyed out.',
    unchanged: 'Nothing was changed.',
    archive: 'Archive', archiveQuestion: (title) => `Archive “${title}”? Everybody can still read it, but not write, and it leaves the list. You can open it again.`,
    archiveHint: 'An archived room can only be read, and is not in the list of conversations.',
    isArchived: 'This room is archived: it can only be read, and is not in the list of conversations.',
    reopen: 'Open again', archived: 'The room is archived.', reopened: 'The room is open again.',
    tooLong: (count, limit) => `${plural(count, 'character', 'characters')} too many; at most ${limit} are possible.`,
    longest: (limit) => `This is too long; at most ${limit} characters are possible.`,
    unseen: 'This has a character that cannot be seen or that changes the direction of the text, which is not possible here.',
    titleTaken: 'Another public room has the title of this one. Change the title first.',
    forbidden: 'You may not change this. Your role in this room may have changed.',
    checkFields: 'Nothing was saved. Correct the fields that are marked.', failed: 'Not everything was saved. Correct the fields that are marked.',
    nothingAbout: 'Nothing is written about this room.',
    facts: {
      write: 'Only the owner and the moderators write here.', attach: 'Only the owner and the moderators send photos and files.',
      mention: 'Only the owner and the moderators mention everybody.', add: 'Every member may add others.',
    },
    slowFact: (pause) => `Slow mode: one message in ${pause}.`,
  },
  de: {
    topic: 'Thema (unter dem Titel)', description: 'Beschreibung', rules: 'Regeln',
    slow: 'Langsamer Modus: Pause nach jeder Nachricht', noSlow: 'Keine Pause',
    pause: (seconds) => timeText(seconds, [['Sekunde', 'Sekunden'], ['Minute', 'Minuten'], ['Stunde', 'Stunden']]),
    slowHint: 'Er gilt für alle außer Eigentümer und Moderation.', limit: (count) => `Höchstens ${count} Zeichen.`,
    rights: 'Was Mitglieder dürfen', holders: { everyone: 'Alle', moderators: 'Eigentümer und Moderation' },
    right: { write: 'Schreiben', attach: 'Fotos und Dateien senden', mention: 'Alle erwähnen (@all)', add: 'Mitglieder hinzufügen' },
    ownerOnly: 'Die ausgegrauten Felder ändert nur, wem der Raum gehört.',
    unchanged: 'Es wurde nichts geändert.',
    archive: 'Archivieren', archiveQuestion: (title) => `„${title}“ archivieren? Alle können dort weiter lesen, aber nicht schreiben, und er verlässt die Liste. Du kannst ihn wieder öffnen.`,
    archiveHint: 'Ein archivierter Raum kann nur gelesen werden und steht nicht in der Liste der Unterhaltungen.',
    isArchived: 'Dieser Raum ist archiviert: Er kann nur gelesen werden und steht nicht in der Liste der Unterhaltungen.',
    reopen: 'Wieder öffnen', archived: 'Der Raum ist archiviert.', reopened: 'Der Raum ist wieder offen.',
    tooLong: (count, limit) => `${count} Zeichen zu viel; höchstens ${limit} sind möglich.`,
    longest: (limit) => `Das ist zu lang; höchstens ${limit} Zeichen sind möglich.`,
    unseen: 'Hier ist ein Zeichen, das man nicht sieht oder das die Schreibrichtung ändert. Das ist hier nicht möglich.',
    titleTaken: 'Ein anderer öffentlicher Raum hat den Titel von diesem. Ändere zuerst den Titel.',
    forbidden: 'Das darfst du nicht ändern. Vielleicht hat sich deine Rolle in diesem Raum geändert.',
    checkFields: 'Es wurde nichts gespeichert. Berichtige die markierten Felder.', failed: 'Es wurde nicht alles gespeichert. Berichtige die markierten Felder.',
    nothingAbout: 'Über diesen Raum ist nichts geschrieben.',
    facts: {
      write: 'Hier schreiben nur Eigentümer und Moderation.', attach: 'Fotos und Dateien senden nur Eigentümer und Moderation.',
      mention: 'Alle zu erwähnen ist Eigentümer und Moderation vorbehalten.', add: 'Jedes Mitglied darf andere hinzufügen.',
    },
    slowFact: (pause) => `Langsamer Modus: eine Nachricht in ${pause}.`,
  },
};

export const R = ROOM_STRINGS[S.language];
