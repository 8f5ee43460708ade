// The texts of the web app in English. Entries with parameters are functions; `null` stands for the user of the page.
import { site } from './site.js';

const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

const ROLES = { owner: 'is now an owner', moderator: 'is now a moderator', member: 'is now a member', read_only: 'can now only read' };
const YOUR_ROLES = { owner: 'are now an owner', moderator: 'are now a moderator', member: 'are now a member', read_only: 'can now only read' };

export const english = {
  language: 'en',
  appName: site.name,
  // Logging in
  logInTitle: `Log in to ${site.name}`, signUpTitle: 'Create an account', logIn: 'Log in', signUp: 'Sign up', logInWith: (name) => `Log in with ${name}`,
  newHere: 'New here?', beenHere: 'Been here before?', username: 'Username', password: 'Password',
  passwordHint: 'At least 8 characters.', loggedOut: 'You were logged out.', notLoggedIn: 'Log in to go on.', profile: 'Your profile',
  pageTitle: (place) => `${place} – ${site.name}`,
  // Connection
  connecting: 'Connecting…', offline: 'You are offline.', reconnect: 'Reconnect', noConnection: 'No connection to the server.',
  serverAnswered: (status) => `The server answered ${status}.`,
  connectingWith: (count) => `Connecting… ${plural(count, 'message')} not sent yet.`,
  offlineWith: (count) => `You are offline. ${plural(count, 'message')} not sent yet.`,
  stopped: (reason) => `The server closed the connection (${reason}).`,
  newVersion: 'A new version of this page is ready.', reload: 'Reload',
  // The list of threads
  threads: 'Conversations', newConversation: 'New conversation', search: 'Search messages', settings: 'Profile and settings',
  inboxEmpty: 'No conversations yet. Join a room, create one, or write to somebody.', noMessages: 'No messages yet',
  you: 'You', preview: (sender, text) => `${sender}: ${text}`, attachment: 'Attachment',
  unread: (count) => `${count} unread`, online: 'online', offlineUser: 'offline',
  lastSeen: (time) => `last seen ${time}`, draft: (text) => `Draft: ${text}`,
  // A conversation
  choose: 'Choose a conversation to read and write.', thread: 'Conversation', back: 'Back to all conversations',
  members: 'Members', messages: 'Messages', loading: 'Loading…', beginning: 'This is the beginning.', saySomething: 'No messages yet. Say something.',
  tryAgain: 'Try again', discard: 'Discard', toNewest: 'To the newest message', countNew: (count) => `${count} new`, newMessages: 'New',
  message: 'Message', messageTo: (title) => `Message ${title}`, send: 'Send', sendHint: 'Send (Enter)', readOnly: 'You can read here, but not write.',
  muted: (until, reason) => `A moderator has muted you here${until ? ` until ${until}` : ''}.${reason ? ` Reason: ${reason}` : ''}`, muteEnded: 'You can write here again.',
  hindrances: { archived: 'This room is archived.', blocked: 'No messages are possible between you and this user.', moderators: 'Only moderators write in this room.' },
  slowMode: (seconds) => `Slow mode: you can write again in ${seconds} s`, folded: 'Message of a blocked user', unfold: 'Show',
  block: 'Block', unblock: 'End the block', blockQuestion: (name) => `Block ${name}? Neither of you can write to the other. In rooms, their messages are folded.`,
  sending: 'Sending…', waiting: 'Waiting…', notDelivered: 'Not delivered', edited: '(edited)', deleted: 'Message deleted', erased: 'Message of an erased account',
  youWrote: 'You:', readAt: (time) => `Read ${time}`, read: 'Read', readBy: (count) => `Read by ${count}`, sent: 'Sent',
  readers: (names) => `Read by ${names}`,
  typing: (names) => (names.length > 2 ? `${names.length} people are typing…` : `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} typing…`),
  joined: (name) => `${name ?? 'You'} joined`, added: (by, name) => `${by ?? 'You'} added ${name ?? 'you'}`,
  left: (name) => `${name ?? 'You'} left`, removed: (by, name) => `${by ?? 'You'} removed ${name ?? 'you'}`,
  renamed: (title) => `The room is now called “${title}”`, roleChanged: (name, role) => (name ? `${name} ${ROLES[role] ?? `has the role ${role} now`}` : `You ${YOUR_ROLES[role] ?? `have the role ${role} now`}`), somebody: 'Somebody',
  today: 'Today', yesterday: 'Yesterday', tooMany: 'Too many messages or files are waiting to be sent.',
  charactersLeft: (count) => `${plural(count, 'character')} left`,
  charactersOver: (count, limit) => `${plural(count, 'character')} too many; a message has at most ${limit}.`,
  announce: (sender, text) => `${sender}: ${text}`, announceIn: (sender, title, text) => `${sender} in ${title}: ${text}`,
  rowLabel: (sender, time, text) => `${sender}, ${time}: ${text}`, emojiCount: (emoji, count) => `${emoji} ${count}`,
  // Errors, by the server's code
  errors: {
    no_connection: 'No connection to the server.', bad_request: 'The server did not accept this.', unauthorized: 'You are not logged in.',
    forbidden: 'You may not do this.', not_a_member: 'You are not a member of this conversation.', not_found: 'This does not exist, or no longer.',
    conflict: 'This is already taken, or was changed in the meantime.', too_large: 'This is too large.',
    rate_limited: 'Too many requests. Try again in a moment.', unavailable: 'The server is busy. Try again in a moment.',
    internal: 'The server failed. Try again later.',
    // What an answer means in one place
    wrongLogin: 'The username or the password is wrong.', nameTaken: 'This name is taken.',
    nameInvalid: 'A name has 1 to 150 letters, digits and @ . + - _, and a password at least 8 characters.', signUpOff: 'New accounts are not possible here.',
    wrongPassword: 'The current password is wrong, or the new one is too short.', noUser: 'There is nobody with this name.',
    titleTaken: 'A room has this title already.', titleInvalid: 'A title has 1 to 64 visible characters.',
    displayNameInvalid: 'A display name has visible characters only.',
    // A login at the OpenID provider
    oidc_denied: 'The login was cancelled or refused.', oidc_expired: 'This login is no longer valid. Try again.',
    oidc_rejected: 'The login failed. Try again; if it fails again, tell the operator.',
    oidc_unavailable: 'The login service does not answer. Try again in a moment.', oidc_no_account: 'This account no longer exists.', oidc_suspended: 'This account is suspended.',
  },
  // Actions on a message
  actions: 'Actions', react: 'React', reply: 'Reply', edit: 'Edit', remove: 'Delete', cancel: 'Cancel', save: 'Save', close: 'Close',
  replyingTo: (name) => (name === null ? 'Replying to your message' : `Replying to ${name}`), editing: 'Editing message', jumpToQuote: 'Show the quoted message', quoteGone: 'An earlier message',
  removeQuestion: 'Delete this message for everybody?', reactionLabel: (emoji, count, isMine) => `${emoji}, ${plural(count, 'reaction')}${isMine ? ', yours' : ''}`,
  refused: (what) => `Not done: ${what}`,
  // Composer
  emoji: 'Emoji', findEmoji: 'Find an emoji', noEmoji: 'None found', mention: 'People to mention', location: 'Share my location', locationName: 'Location',
  locationRefused: 'Your location is not available.', locationQuestion: (title) => `Send your location to ${title}?`, openMap: 'Open the map',
  // Files
  file: 'File', photo: 'Photo', video: 'Video', sound: 'Sound', named: (kind, name) => `${kind} ${name}`.trim(),
  bytes: (count) => plural(count, 'byte'), units: [(value) => `${value} kB`, (value) => `${value} MB`, (value) => `${value} GB`],
  addFile: 'Add photos and files', filesToSend: 'Files to send', asFiles: 'Send pictures as files, unchanged', removeFile: (name) => `Remove ${name}`,
  filesAdded: (count) => (count > 0 ? `${plural(count, 'file')} added.` : ''), dropFiles: (title) => `Drop files here to send them to ${title}`,
  unchanged: 'As a file, unchanged',
  photoUnreadable: (name) => `This browser cannot read “${name}” as a picture. It will be sent as a file, unchanged, with what the camera wrote into it.`,
  mostFiles: (count) => `A message has at most ${count} files.`, fileEmpty: (name) => `“${name}” is empty.`,
  fileTooLarge: (name, size, limit) => `“${name}” is too large: it has ${size}, and this server takes at most ${limit}.`,
  fileTypeRefused: (name) => `“${name}” is of a type that this server does not take.`, filesOff: 'This server takes no files.',
  noRoom: 'Your files fill the space that the server gives you. Delete messages with files to make room.',
  fileLost: (name) => `“${name}” is no longer on this device. Send it again.`,
  uploading: 'Uploading', percent: (count) => `${count} %`, uploadAnnounced: (percent) => `Uploading, ${percent} % done`,
  showPicture: (name) => `Show ${name}`, download: 'Download', previousPicture: 'Previous picture', nextPicture: 'Next picture',
  pictureOf: (index, count) => `${index} of ${count}`,
  // New conversation
  rooms: 'Rooms', people: 'People', roomTitle: 'Find or create a room', create: (title) => `Create “${title}”`, join: 'Join', open: 'Open',
  noRooms: 'No rooms to join.', lookAlike: (title) => `There is already a room called “${title}”. Did you mean that one?`, createAnyway: (title) => `No, create “${title}”`,
  findPerson: 'Find somebody by name', nobody: 'Nobody found.', write: (name) => `Write to ${name}`,
  // Members
  roles: { owner: 'owner', moderator: 'moderator', member: 'member', read_only: 'read only' },
  roleOf: (name) => `Role of ${name}`, removeMember: (name) => `Remove ${name}`, removeFromRoom: 'Remove', removeMemberQuestion: (name) => `Remove ${name} from this room?`,
  invite: 'Add somebody', add: 'Add', leave: 'Leave', leaveQuestion: (title) => `Leave “${title}”?`,
  rename: 'Rename', title: 'Title', deleteRoom: 'Delete room', deleteRoomQuestion: (title) => `Delete “${title}” with all its messages, for everybody?`,
  visibility: 'Who can join',
  visibilities: { public: 'Public: everybody finds it', unlisted: 'Unlisted: who has its ID', private: 'Private: only who is added' },
  visibilityChanged: (visibility) => ({ public: 'The room is public now', unlisted: 'The room is unlisted now', private: 'The room is private now' }[visibility] ?? 'The room has another visibility now'),
  memberCount: (count) => plural(count, 'member'),
  // Mutes and bans
  sanctionMember: (name) => `Mute or ban ${name}`, sanctionKind: 'What happens', sanctionKinds: { mute: 'Mute: may read, but not write', ban: 'Ban: removed, may not return' },
  sanctionVerbs: { mute: 'Mute', ban: 'Ban' }, duration: 'For how long',
  durations: { minutes: '10 minutes', hour: '1 hour', day: '1 day', week: '1 week', endless: 'Until a moderator ends it' },
  reason: 'Reason (optional)', sanctions: 'Muted and banned', endMute: 'End the mute', endSanction: 'End',
  endSanctionOf: (kind, name) => (kind === 'ban' ? `End the ban of ${name}` : `End the mute of ${name}`),
  sanctioned: (kind, until, reason) => `${kind === 'ban' ? 'Banned' : 'Muted'}${until ? ` until ${until}` : ''}.${reason ? ` Reason: ${reason}` : ''}`,
  // Search
  searchHere: 'In this conversation only', noResults: 'Nothing found.', results: (count) => plural(count, 'result'), moreResults: 'More words find less.',
  // Settings
  picture: 'Your picture', choosePicture: 'Choose picture', removePicture: 'Remove picture', saving: 'Saving…',
  noPicture: (name) => `“${name}” is not a picture that this browser can show.`,
  displayName: 'Display name', changePassword: 'Change password', oldPassword: 'Current password', newPassword: 'New password', saved: 'Saved.',
  passwordChanged: 'Changed. All other devices were logged out.', logOut: 'Log out', notifications: 'Notifications while this page is open',
  notificationsBlocked: 'The browser does not allow notifications from this page.', logOutQuestion: (count) => `${plural(count, 'message')} not sent yet. Log out all the same?`,
  devices: 'Devices', thisDevice: 'This device', otherDevice: 'Another device', endDevice: 'Log out',
  moreDevices: 'Show more devices', endOtherDevices: 'Log out all other devices', loggedInUntil: (date) => `logged in until ${date}`,
};
