import { nameOf, type UserRecord, updatePicture, users } from '../rooms/users/records.js';
import { text } from '../server/answer.js';
import { errorPage } from '../server/error-page.js';
import { html } from '../server/html.js';
import type { Router } from '../server/router.js';
import type { World } from '../world/world.js';

const path = '/cdn/pictures/';

/** Where a picture for an account at a social provider is: one of the emulator's own, so that showing it needs no network. */
export const newPictureUrl = (world: World): string => world.url(`${path}${world.ids.token(20)}.svg`);

/** Give a user whose account has just been linked its picture, and emit the event; do nothing for one who has a picture. */
export const ensurePicture = (world: World, user: UserRecord): UserRecord =>
  user.profilePictureUrl === null ? updatePicture(world, user.id, newPictureUrl(world)) : user;

/** The pictures: each shows the initials of its user. */
export function pictures(router: Router): void {
  router.page('GET', `${path}:name`, ({ world, params }) => {
    const user = world.of(users).filter(({ profilePictureUrl: url }) => url?.endsWith(path + params.name) ?? false)[0];
    if (!user) return errorPage(404, 'No such picture', 'The picture is unknown, or went with its user.');
    const initials = nameOf(user)
      .split(' ')
      .map((word) => word.slice(0, 1).toUpperCase());
    const picture = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" role="img" aria-label="${nameOf(user)}"><rect width="96" height="96" fill="#12594a"/><text x="48" y="61" fill="#ffffff" font-family="sans-serif" font-size="38" text-anchor="middle">${[initials[0], initials.length > 1 ? initials.at(-1) : ''].join('')}</text></svg>`;
    return text(picture.text, 'image/svg+xml').with({
      'content-security-policy': "default-src 'none'",
      'x-content-type-options': 'nosniff',
    });
  });
}
