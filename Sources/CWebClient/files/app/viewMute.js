// The notice in place of the message field while the user may not write: a mute, an archived room, its rights, a block.
import { byID, setNote } from '../shared/dom.js';
import { muteText } from './sanctions.js';
import { S } from '../shared/strings.js';
import { announce } from './viewList.js';

export class MuteNotice {
  #chat;
  #node = byID('mute');
  #shownID = null;
  #shown = 'null';
  /** Whether the notice had the focus when it was hidden. */
  #owesFocus = false;

  constructor(chat) {
    this.#chat = chat;
  }

  /** Shows why the user may not write in the open thread, before the field is hidden. @returns whether there is a reason */
  render() {
    const { client, openID, openThread } = this.#chat;
    const reason = client.hindrance(openID);
    const mute = reason ?? openThread?.mute ?? null;
    const shown = JSON.stringify(mute);
    if (openID === this.#shownID && shown === this.#shown) return mute !== null;
    const isChange = openThread !== null && openID === this.#shownID;
    this.#shownID = openID;
    this.#shown = shown;
    this.#owesFocus = document.activeElement === this.#node;
    setNote(this.#node, reason ? S.hindrances[reason] : mute && muteText(mute, Date.now()));
    // A hidden field would lose the focus, and the keyboard its place.
    const takesFocus = mute !== null && byID('composer').contains(document.activeElement);
    if (takesFocus) this.#node.focus({ preventScroll: true });
    else if (isChange) announce(mute ? this.#node.textContent : S.muteEnded);
    return mute !== null;
  }

  /** Passes the focus on to the field, once it is shown again. */
  returnFocus(composer) {
    if (this.#owesFocus && this.#node.hidden) composer.focus({ isAsked: true });
    this.#owesFocus = false;
  }
}
