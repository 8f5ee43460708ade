// The read mark of the open thread.

/** The delay of a read mark, so that one mark covers a burst of messages. */
const READ_DELAY = 300;

export class Reading {
  #chat;
  #timer = null;

  constructor(chat) {
    this.#chat = chat;
  }

  stop() { clearTimeout(this.#timer); }

  /**
   * Marks the open thread as read up to a position.
   * @param seq the last visible message; `Infinity` if the view ends with the newest one
   * @returns whether something has changed
   */
  seen(seq) {
    const { openThread: thread, timeline, roster, me, isAtHead } = this.#chat;
    if (!thread?.unread || !timeline.isLoaded || document.visibilityState !== 'visible') return false;
    const read = thread.readSeq ?? 0;
    const isAll = isAtHead && seq >= timeline.to && timeline.to >= thread.seq;
    if (!isAll && seq <= read) return false;
    if (isAll) {
      roster.apply({ type: 'read', thread_id: thread.id, user_id: me.id, read_seq: thread.seq });
    } else {
      // Until the server has counted, those on the screen count as read.
      const end = Math.min(seq, timeline.to);
      if (end <= read) return false;
      const count = timeline.rows.filter((row) => row.seq > read && row.seq <= end && row.type === 'message' && row.sender_id !== me.id && !row.deleted && !row.erased).length;
      roster.counted({ id: thread.id, unread: Math.max(1, thread.unread - count), readSeq: end });
    }
    this.#timer ??= setTimeout(() => this.flush(), READ_DELAY);
    return true;
  }

  flush() {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    const { openThread: thread, outgoing } = this.#chat;
    if (thread) outgoing.add({ id: `read:${thread.id}`, op: 'read', thread: thread.id, seq: thread.readSeq });
  }
}
