// The texts of the web app in German, with the entries of `english.js`.
import { site } from './site.js';

const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
const unsent = (count) => (count === 1 ? '1 Nachricht ist noch nicht gesendet.' : `${count} Nachrichten sind noch nicht gesendet.`);

const ROLES = { owner: 'ist jetzt Eigentümer', moderator: 'moderiert jetzt', member: 'ist jetzt Mitglied', read_only: 'kann jetzt nur lesen' };
const YOUR_ROLES = { owner: 'bist jetzt Eigentümer', moderator: 'moderierst jetzt', member: 'bist jetzt Mitglied', read_only: 'kannst jetzt nur lesen' };

export const german = {
  language: 'de', appName: site.name,
  // Logging in
  logInTitle: `Bei ${site.name} anmelden`, signUpTitle: 'Konto anlegen', logIn: 'Anmelden', signUp: 'Registrieren', logInWith: (name) => `Mit ${name} anmelden`,
  newHere: 'Neu hier?', beenHere: 'Schon einmal hier gewesen?', username: 'Benutzername', password: 'Passwort',
  passwordHint: 'Mindestens 8 Zeichen.', loggedOut: 'Du wurdest abgemeldet.', notLoggedIn: 'Melde dich an, um fortzufahren.', profile: 'Dein Profil',
  pageTitle: (place) => `${place} – ${site.name}`,
  // Connection
  connecting: 'Verbinden …', offline: 'Du bist offline.', reconnect: 'Neu verbinden', noConnection: 'Keine Verbindung zum Server.',
  serverAnswered: (status) => `Der Server hat mit ${status} geantwortet.`,
  connectingWith: (count) => `Verbinden … ${unsent(count)}`,
  offlineWith: (count) => `Du bist offline. ${unsent(count)}`,
  stopped: (reason) => `Der Server hat die Verbindung beendet (${reason}).`,
  newVersion: 'Eine neue Version dieser Seite ist bereit.', reload: 'Neu laden',
  // The list of threads
  threads: 'Unterhaltungen', newConversation: 'Neue Unterhaltung', search: 'Nachrichten durchsuchen', settings: 'Profil und Einstellungen',
  inboxEmpty: 'Noch keine Unterhaltungen. Tritt einem Raum bei, lege einen an, oder schreib jemandem.', noMessages: 'Noch keine Nachrichten',
  you: 'Du', preview: (sender, text) => `${sender}: ${text}`, attachment: 'Anhang',
  unread: (count) => `${count} ungelesen`, online: 'online', offlineUser: 'offline',
  lastSeen: (time) => `zuletzt da: ${time}`, draft: (text) => `Entwurf: ${text}`,
  // A conversation
  choose: 'Wähle eine Unterhaltung, um zu lesen und zu schreiben.', thread: 'Unterhaltung', back: 'Zurück zu allen Unterhaltungen',
  members: 'Mitglieder', messages: 'Nachrichten', loading: 'Laden …', beginning: 'Das ist der Anfang.', saySomething: 'Noch keine Nachrichten. Schreib die erste.',
  tryAgain: 'Noch einmal versuchen', discard: 'Verwerfen', toNewest: 'Zur neuesten Nachricht', countNew: (count) => `${count} neu`, newMessages: 'Neu',
  message: 'Nachricht', messageTo: (title) => `Nachricht an ${title}`, send: 'Senden', sendHint: 'Senden (Eingabetaste)', readOnly: 'Hier kannst du nur lesen.',
  muted: (until, reason) => `Die Moderation hat dich hier${until ? ` bis ${until}` : ''} stummgeschaltet.${reason ? ` Grund: ${reason}` : ''}`, muteEnded: 'Du kannst hier wieder schreiben.',
  hindrances: { archived: 'Dieser Raum ist archiviert.', blocked: 'Zwischen dir und dieser Person sind keine Nachrichten möglich.', moderators: 'In diesem Raum schreibt nur die Moderation.' },
  slowMode: (seconds) => `Langsamer Modus: Du kannst in ${seconds} s wieder schreiben`, folded: 'Nachricht einer blockierten Person', unfold: 'Anzeigen',
  block: 'Blockieren', unblock: 'Blockierung aufheben', blockQuestion: (name) => `${name} blockieren? Keine der beiden Seiten kann der anderen schreiben. In Räumen werden ihre Nachrichten eingeklappt.`,
  sending: 'Senden …', waiting: 'Warten …', notDelivered: 'Nicht zugestellt', edited: '(bearbeitet)', deleted: 'Nachricht gelöscht', erased: 'Nachricht eines gelöschten Kontos',
  youWrote: 'Du:', readAt: (time) => `Gelesen ${time}`, read: 'Gelesen', readBy: (count) => `Von ${count} gelesen`, sent: 'Gesendet',
  readers: (names) => `Gelesen von ${names}`,
  typing: (names) => (names.length > 2 ? `${names.length} Personen schreiben …` : `${names.join(' und ')} ${names.length === 1 ? 'schreibt' : 'schreiben'} …`),
  joined: (name) => (name ? `${name} ist beigetreten` : 'Du bist beigetreten'),
  added: (by, name) => `${by ?? 'Du'} ${by ? 'hat' : 'hast'} ${name ?? 'dich'} hinzugefügt`,
  left: (name) => (name ? `${name} ist gegangen` : 'Du bist gegangen'),
  removed: (by, name) => `${by ?? 'Du'} ${by ? 'hat' : 'hast'} ${name ?? 'dich'} entfernt`,
  renamed: (title) => `Der Raum heißt jetzt „${title}“`,
  roleChanged: (name, role) => (name ? `${name} ${ROLES[role] ?? `hat jetzt die Rolle ${role}`}` : `Du ${YOUR_ROLES[role] ?? `hast jetzt die Rolle ${role}`}`), somebody: 'Jemand',
  today: 'Heute', yesterday: 'Gestern', tooMany: 'Es warten zu viele Nachrichten oder Dateien darauf, gesendet zu werden.',
  charactersLeft: (count) => `Noch ${count} Zeichen`,
  charactersOver: (count, limit) => `${count} Zeichen zu viel; eine Nachricht hat höchstens ${limit}.`,
  announce: (sender, text) => `${sender}: ${text}`, announceIn: (sender, title, text) => `${sender} in ${title}: ${text}`,
  rowLabel: (sender, time, text) => `${sender}, ${time}: ${text}`, emojiCount: (emoji, count) => `${emoji} ${count}`,
  // Errors, by the server's code
  errors: {
    no_connection: 'Keine Verbindung zum Server.', bad_request: 'Der Server hat das nicht angenommen.', unauthorized: 'Du bist nicht angemeldet.',
    forbidden: 'Das darfst du nicht.', not_a_member: 'Du bist kein Mitglied dieser Unterhaltung.', not_found: 'Das gibt es nicht, oder nicht mehr.',
    conflict: 'Das ist schon vergeben, oder wurde inzwischen geändert.', too_large: 'Das ist zu groß.',
    rate_limited: 'Zu viele Anfragen. Versuch es gleich noch einmal.', unavailable: 'Der Server ist überlastet. Versuch es gleich noch einmal.',
    internal: 'Auf dem Server ist ein Fehler aufgetreten. Versuch es später noch einmal.',
    wrongLogin: 'Benutzername oder Passwort ist falsch.', nameTaken: 'Dieser Name ist vergeben.',
    nameInvalid: 'Ein Name hat 1 bis 150 Buchstaben, Ziffern und @ . + - _, und ein Passwort mindestens 8 Zeichen.', signUpOff: 'Neue Konten sind hier nicht möglich.',
    wrongPassword: 'Das jetzige Passwort ist falsch, oder das neue ist zu kurz.', noUser: 'Es gibt niemanden mit diesem Namen.',
    titleTaken: 'Ein Raum hat diesen Titel schon.', titleInvalid: 'Ein Titel hat 1 bis 64 sichtbare Zeichen.',
    displayNameInvalid: 'Ein Anzeigename hat nur sichtbare Zeichen.',
    // Eine Anmeldung beim OpenID-Anbieter
    oidc_denied: 'Die Anmeldung wurde abgebrochen oder abgelehnt.', oidc_expired: 'Diese Anmeldung gilt nicht mehr. Versuche es noch einmal.',
    oidc_rejected: 'Die Anmeldung ist fehlgeschlagen. Versuche es noch einmal; hilft das nicht, wende dich an den Betreiber.',
    oidc_unavailable: 'Der Anmeldedienst antwortet nicht. Versuche es gleich noch einmal.', oidc_no_account: 'Dieses Konto gibt es nicht mehr.', oidc_suspended: 'Dieses Konto ist gesperrt.',
  },
  // Actions on a message
  actions: 'Aktionen', react: 'Reagieren', reply: 'Antworten', edit: 'Bearbeiten', remove: 'Löschen', cancel: 'Abbrechen', save: 'Speichern', close: 'Schließen',
  replyingTo: (name) => (name === null ? 'Antwort auf deine Nachricht' : `Antwort an ${name}`), editing: 'Nachricht bearbeiten', jumpToQuote: 'Die zitierte Nachricht zeigen', quoteGone: 'Eine frühere Nachricht',
  removeQuestion: 'Diese Nachricht für alle löschen?', reactionLabel: (emoji, count, isMine) => `${emoji}, ${plural(count, 'Reaktion', 'Reaktionen')}${isMine ? ', deine' : ''}`,
  refused: (what) => `Nicht ausgeführt: ${what}`,
  // Composer
  emoji: 'Emoji', findEmoji: 'Emoji suchen', noEmoji: 'Keines gefunden', mention: 'Personen, die du erwähnen kannst', location: 'Meinen Standort teilen', locationName: 'Standort',
  locationRefused: 'Dein Standort ist nicht verfügbar.', locationQuestion: (title) => `Deinen Standort an ${title} senden?`, openMap: 'Die Karte öffnen',
  // Files
  file: 'Datei', photo: 'Foto', video: 'Video', sound: 'Ton', named: (kind, name) => `${kind} ${name}`.trim(),
  bytes: (count) => plural(count, 'Byte', 'Bytes'), units: ['kB', 'MB', 'GB'].map((unit) => (value) => `${value.replace('.', ',')} ${unit}`),
  addFile: 'Fotos und Dateien hinzufügen', filesToSend: 'Dateien, die gesendet werden', asFiles: 'Bilder als Dateien senden, unverändert', removeFile: (name) => `${name} entfernen`,
  filesAdded: (count) => (count > 0 ? `${plural(count, 'Datei', 'Dateien')} hinzugefügt.` : ''), dropFiles: (title) => `Dateien hier ablegen, um sie an ${title} zu senden`,
  unchanged: 'Als Datei, unverändert',
  photoUnreadable: (name) => `Dieser Browser kann „${name}“ nicht als Bild lesen. Es wird als Datei gesendet, unverändert, mit allem, was die Kamera hineingeschrieben hat.`,
  mostFiles: (count) => `Eine Nachricht hat höchstens ${count} Dateien.`, fileEmpty: (name) => `„${name}“ ist leer.`,
  fileTooLarge: (name, size, limit) => `„${name}“ ist zu groß: ${size}, und dieser Server nimmt höchstens ${limit}.`,
  fileTypeRefused: (name) => `„${name}“ ist von einer Art, die dieser Server nicht nimmt.`, filesOff: 'Dieser Server nimmt keine Dateien.',
  noRoom: 'Deine Dateien füllen den Platz, den dir der Server gibt. Lösche Nachrichten mit Dateien, um Platz zu schaffen.',
  fileLost: (name) => `„${name}“ ist nicht mehr auf diesem Gerät. Sende die Datei noch einmal.`,
  uploading: 'Hochladen', percent: (count) => `${count} %`, uploadAnnounced: (percent) => `Hochladen, ${percent} % fertig`,
  showPicture: (name) => `${name} zeigen`, download: 'Herunterladen', previousPicture: 'Vorheriges Bild', nextPicture: 'Nächstes Bild',
  pictureOf: (index, count) => `${index} von ${count}`,
  // New conversation
  rooms: 'Räume', people: 'Personen', roomTitle: 'Raum suchen oder anlegen', create: (title) => `„${title}“ anlegen`, join: 'Beitreten', open: 'Öffnen',
  noRooms: 'Keine Räume, denen du beitreten kannst.', lookAlike: (title) => `Es gibt schon einen Raum „${title}“. Meinst du diesen?`, createAnyway: (title) => `Nein, „${title}“ anlegen`,
  findPerson: 'Jemanden nach Namen suchen', nobody: 'Niemand gefunden.', write: (name) => `${name} schreiben`,
  // Members
  roles: { owner: 'Eigentümer', moderator: 'Moderation', member: 'Mitglied', read_only: 'nur lesen' },
  roleOf: (name) => `Rolle von ${name}`, removeMember: (name) => `${name} entfernen`, removeFromRoom: 'Entfernen', removeMemberQuestion: (name) => `${name} aus diesem Raum entfernen?`,
  invite: 'Jemanden hinzufügen', add: 'Hinzufügen', leave: 'Verlassen', leaveQuestion: (title) => `„${title}“ verlassen?`,
  rename: 'Umbenennen', title: 'Titel', deleteRoom: 'Raum löschen', deleteRoomQuestion: (title) => `„${title}“ mit allen Nachrichten löschen, für alle?`,
  visibility: 'Wer beitreten kann',
  visibilities: { public: 'Öffentlich: alle finden ihn', unlisted: 'Ungelistet: wer seine ID hat', private: 'Privat: nur wer hinzugefügt wird' },
  visibilityChanged: (visibility) => ({ public: 'Der Raum ist jetzt öffentlich', unlisted: 'Der Raum ist jetzt ungelistet', private: 'Der Raum ist jetzt privat' }[visibility] ?? 'Der Raum hat jetzt eine andere Sichtbarkeit'),
  memberCount: (count) => plural(count, 'Mitglied', 'Mitglieder'),
  // Mutes and bans
  sanctionMember: (name) => `${name} stummschalten oder sperren`, sanctionKind: 'Was geschieht', sanctionKinds: { mute: 'Stummschalten: kann nur lesen', ban: 'Sperren: wird entfernt' },
  sanctionVerbs: { mute: 'Stummschalten', ban: 'Sperren' }, duration: 'Wie lange',
  durations: { minutes: '10 Minuten', hour: '1 Stunde', day: '1 Tag', week: '1 Woche', endless: 'Bis zur Aufhebung' },
  reason: 'Grund (freiwillig)', sanctions: 'Stummgeschaltet und gesperrt', endMute: 'Stummschaltung beenden', endSanction: 'Beenden',
  endSanctionOf: (kind, name) => (kind === 'ban' ? `Sperre von ${name} beenden` : `Stummschaltung von ${name} beenden`),
  sanctioned: (kind, until, reason) => `${kind === 'ban' ? 'Gesperrt' : 'Stummgeschaltet'}${until ? ` bis ${until}` : ''}.${reason ? ` Grund: ${reason}` : ''}`,
  // Search
  searchHere: 'Nur in dieser Unterhaltung', noResults: 'Nichts gefunden.', results: (count) => plural(count, 'Treffer', 'Treffer'), moreResults: 'Mehr Wörter finden weniger.',
  // Settings
  picture: 'Dein Bild', choosePicture: 'Bild wählen', removePicture: 'Bild entfernen', saving: 'Speichern …',
  noPicture: (name) => `„${name}“ ist kein Bild, das dieser Browser zeigen kann.`,
  displayName: 'Anzeigename', changePassword: 'Passwort ändern', oldPassword: 'Jetziges Passwort', newPassword: 'Neues Passwort', saved: 'Gespeichert.',
  passwordChanged: 'Geändert. Alle anderen Geräte wurden abgemeldet.', logOut: 'Abmelden', notifications: 'Benachrichtigungen, solange diese Seite offen ist',
  notificationsBlocked: 'Der Browser erlaubt dieser Seite keine Benachrichtigungen.', logOutQuestion: (count) => `${unsent(count)} Trotzdem abmelden?`,
  devices: 'Geräte', thisDevice: 'Dieses Gerät', otherDevice: 'Ein anderes Gerät', endDevice: 'Abmelden',
  moreDevices: 'Weitere Geräte zeigen', endOtherDevices: 'Alle anderen Geräte abmelden', loggedInUntil: (date) => `angemeldet bis ${date}`,
};
