// What the client of this page needs to know of its server.
import * as api from './api.js';
import { refusalOf } from './attachments.js';
import { S } from '../shared/strings.js';

/** The server of this page. */
export function host() {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  return {
    url: `${scheme}://${location.host}/chat`, rest: api.rest,
    describe: ({ code, status, message, file }, limits) => (code === 'file_lost' ? S.fileLost(file.name) : refusalOf(status, message, file, limits)),
  };
}
