// Events, pages and lists of a thread `a` of the epoch `e1`, as the server sends them.

export const message = (seq, { thread = 'a', sender = 'x', text = 'hi', ...more } = {}) =>
  ({ type: 'message', id: `m${seq}`, seq, thread_id: thread, sender_id: sender, text, epoch: 'e1', date_ms: seq * 1000, ...more });

/** An event of 14 November 2023, some seconds after 22:13:20 UTC. */
export const at = (seq, sender, seconds) => message(seq, { sender, date_ms: 1.7e12 + seconds * 1000 });

export const page = (seqs, { hasBefore = false, hasAfter = false, epoch = 'e1', head = seqs.at(-1) ?? 0 } = {}) => ({
  epoch, events: seqs.map((seq) => message(seq, { epoch })), has_more_before: hasBefore, has_more_after: hasAfter, head_seq: head,
});

/** An event that changes message 11. */
export const change = (type, fields) => ({ type, thread_id: 'a', epoch: 'e1', message_seq: 11, date_ms: 1, ...fields });

export const seqsOf = ({ rows }) => rows.map((row) => row.seq);
