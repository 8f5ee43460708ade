// The part of the settings with the user's own picture.
import * as api from './api.js';
import { avatarPath } from './profiles.js';
import { explain } from '../shared/errors.js';
import { avatar, element, setText, showAvatar } from '../shared/dom.js';
import { square } from './picture.js';
import { S } from '../shared/strings.js';

/** @returns `{section, shown(profile)}`; call `shown` when the profile is known */
export function avatarSection(chat) {
  const { id, username } = chat.me;
  const picture = avatar(id, username);
  picture.classList.replace('small', 'large');
  const outcome = element('p', { class: 'hint', attributes: { role: 'status' } });
  const input = element('input', { id: 'avatar-file', type: 'file', accept: 'image/*', hidden: true, attributes: { 'aria-label': S.choosePicture } });
  const choose = element('button', { class: 'secondary', type: 'button', data: { action: 'choose-avatar' } }, S.choosePicture);
  const remove = element('button', { class: 'secondary', type: 'button', hidden: true, data: { action: 'remove-avatar' } }, S.removePicture);
  const section = element('section', { class: 'section', hidden: chat.limits === null, attributes: { 'aria-label': S.picture } },
    element('div', { class: 'avatar-row' }, picture, input, choose, remove), outcome);
  let current = null;

  function shown(profile) {
    const { avatar_url: url } = profile;
    current = avatarPath(url);
    showAvatar(picture, id, chat.nameFor(id, username), current);
    remove.hidden = !url;
    chat.profiles.learn([{ ...profile, id }]);
  }

  /** Runs `body`, and reports the result. */
  async function change(body) {
    outcome.className = 'hint';
    setText(outcome, S.saving);
    choose.disabled = true;
    try {
      const previous = current;
      shown(await body());
      // The picture is no longer used. The server keeps it if a message refers to it.
      if (previous && previous !== current) api.rest.discardAttachment(previous.split('/').at(-1)).catch(() => {});
      setText(outcome, S.saved);
      if (remove.hidden) choose.focus();
    } catch (error) {
      outcome.className = 'error';
      setText(outcome, explain(error));
    } finally {
      choose.disabled = false;
    }
  }

  choose.addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    const [file] = input.files;
    input.value = '';
    if (!file) return;
    change(async () => {
      const blob = await square(file);
      if (!blob) throw new Error(S.noPicture(file.name));
      const { id: attachment, url } = await api.uploadSmall(blob, 'avatar.jpg');
      try {
        return await api.changeMe({ avatar_url: url });
      } catch (error) {
        api.rest.discardAttachment(attachment).catch(() => {});
        throw error;
      }
    });
  });
  remove.addEventListener('click', () => change(() => api.changeMe({ avatar_url: null })));
  return { section, shown };
}
