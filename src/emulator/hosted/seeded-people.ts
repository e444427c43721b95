import { passwords } from '../rooms/users/passwords.js';
import { ensureVerified, type UserRecord } from '../rooms/users/records.js';
import { seededUsers } from '../rooms/users/seeded.js';
import type { Answer } from '../server/answer.js';
import type { Html } from '../server/html.js';
import { emitSuccess } from '../sign-in/attempts.js';
import { beginSignIn } from '../sign-in/sign-in.js';
import { advance, goToConnection } from './advance.js';
import { fieldText, submit } from './forms.js';
import { type Ways, waysFor } from './known-email.js';
import { person } from './person.js';
import { note } from './progress.js';
import { goTo, type Visit } from './visit.js';

/** The most people to choose among. */
const mostPeople = 8;

/** The people of the seed that a page may offer: whoever writes a seed need not type them. */
export const peopleFor = ({ world }: Visit, fits: (user: UserRecord) => boolean): readonly UserRecord[] =>
  seededUsers(world).filter(fits).slice(0, mostPeople);

/** A button for each of these people. */
export const personButtons = (people: readonly UserRecord[]): readonly Html[] =>
  people.map((user) => submit(person(user), { name: 'person', value: user.id, look: 'second choice' }));

/** Who of these people was chosen. */
export const chosenPerson = ({ body }: Visit, people: readonly UserRecord[]): UserRecord | undefined =>
  people.find(({ id }) => id === fieldText(body, 'person'));

/** Go on as somebody from the seed: the first proof counts as given, in the way that is open to them. What follows it is asked for. */
export function signInAs(visit: Visit, user: UserRecord): Answer {
  const { world, authorization } = visit;
  const { id: userId, email } = user;
  note(world, authorization, { email });
  const ways = waysFor(world, email);
  if (ways.ssoOnly) return goToConnection(visit, ways.connectionIds);
  const proof = firstProof(ways, world.of(passwords).get(userId) !== undefined);
  if (proof === undefined) return goTo(visit, 'password');
  if (proof.type === 'magic_auth') ensureVerified(world, user);
  const { ipAddress, userAgent } = authorization;
  emitSuccess(world, { type: proof.type, userId, email, ipAddress, userAgent });
  return advance(visit, beginSignIn(authorization, userId, proof.method));
}

/** What somebody would prove first: the password where there is one, otherwise that mail arrives. */
function firstProof({ password, code }: Ways, hasPassword: boolean) {
  if (password && hasPassword) return { type: 'password', method: 'Password' } as const;
  return code ? ({ type: 'magic_auth', method: 'MagicAuth' } as const) : undefined;
}
