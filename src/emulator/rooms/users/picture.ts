import { string } from '../../../service/describe/define.js';
import { text } from '../../http/answer.js';
import { errorPage } from '../../http/error-page.js';
import { html } from '../../http/html.js';
import type { RoomPart } from '../../http/router.js';
import { type Memory, table } from '../../world/memory.js';
import { nameOf, type Person, type UserRecord, updatePicture, users } from './records.js';

const path = '/cdn/pictures/';

/** Initials by the file name of the picture. */
const pictures = table<string>('picture', string, undefined, 'id');

/**
 * Create a picture with initials for an account at a social provider, and return its URL. The emulator serves it, so it works
 * offline.
 */
export function newPicture(memory: Memory, person: Person): string {
  const words = nameOf(person).split(' ');
  const initials = [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => [...(word ?? '')][0] ?? '');
  const file = `${memory.ids.token(20)}.svg`;
  memory.of(pictures).set(file, initials.join('').toUpperCase());
  return memory.url(path + file);
}

/** Create a picture with initials for a user without a picture, and emit the event. Called after an account is linked. */
export const ensurePicture = (memory: Memory, user: UserRecord): UserRecord =>
  user.profilePictureUrl === null ? updatePicture(memory, user.id, newPicture(memory, user)) : user;

/** Serve the pictures of users, and delete them with their users. */
export const pictureRoutes: RoomPart = {
  routes(router) {
    router.page('GET', `${path}:file`, ({ memory, params }) => {
      const initials = memory.of(pictures).get(params.file!);
      if (initials === undefined)
        return errorPage(404, 'No such picture', 'The picture is unknown, or its user has been deleted.');
      const picture = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" fill="#12594a"/><text x="48" y="61" fill="#ffffff" font-family="sans-serif" font-size="38" text-anchor="middle">${initials}</text></svg>`;
      return text(picture.toString(), 'image/svg+xml').with({
        'content-security-policy': "default-src 'none'",
        'x-content-type-options': 'nosniff',
      });
    });
  },

  start(memory) {
    memory.onDelete(users, ({ profilePictureUrl }, memory) => {
      memory.of(pictures).delete(profilePictureUrl?.slice(memory.url(path).length) ?? '');
    });
  },
};
