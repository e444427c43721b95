import type { Html } from '../../http/html.js';
import { passwords } from '../../rooms/users/passwords.js';
import { ensureVerified, type UserRecord } from '../../rooms/users/records.js';
import { seededUsers } from '../../rooms/users/seeded.js';
import { continueAuthorization } from '../../sign-in/authorizations/continue-authorization.js';
import { updateProgress } from '../../sign-in/authorizations/progress.js';
import { emitSuccess } from '../../sign-in/proof/attempts.js';
import { startSignIn } from '../../sign-in/proof/sign-in.js';
import { fieldText, submit } from '../forms.js';
import { goTo, goToConnection, type Place } from '../steps.js';
import type { PageAnswer, Visit } from '../visit.js';
import { type Ways, waysFor } from './known-email.js';
import { person } from './person.js';

/** Maximum number of seeded users on a page. */
const maxPeople = 8;

/** List the seeded users that a page offers, so that developers do not have to type addresses. */
export const peopleFor = ({ memory }: Visit, fits: (user: UserRecord) => boolean): readonly UserRecord[] =>
  seededUsers(memory).filter(fits).slice(0, maxPeople);

/** Render a button for each user. */
export const personButtons = (people: readonly UserRecord[]): readonly Html[] =>
  people.map((user) => submit(person(user), { name: 'person', value: user.id, look: 'second choice' }));

/** Find the user whose button was pressed. */
export const chosenPerson = ({ body }: Visit, people: readonly UserRecord[]): UserRecord | undefined =>
  people.find(({ id }) => id === fieldText(body, 'person'));

/** Sign in a seeded user without the first proof, with a method that the policy allows. Further steps are still required. */
export function signInSeededUser(place: Place, user: UserRecord): PageAnswer {
  const { memory, authorization } = place;
  const { id: userId, email } = user;
  updateProgress(memory, authorization, { email });
  const ways = waysFor(memory, email);
  if (ways.ssoOnly) return goToConnection(place, ways.connectionIds);
  const proof = firstProof(ways, memory.of(passwords).get(userId) !== undefined);
  if (proof === undefined) return goTo(place, 'authentication-methods');
  if (proof.type === 'magic_auth') ensureVerified(memory, user);
  const { ipAddress, userAgent } = authorization;
  emitSuccess(memory, { type: proof.type, userId, email, ipAddress, userAgent });
  return continueAuthorization(memory, authorization, startSignIn(authorization, userId, proof.method));
}

/** Choose the first proof: the password if the user has one, otherwise an emailed code. */
function firstProof({ password, code }: Ways, hasPassword: boolean) {
  if (password && hasPassword) return { type: 'password', method: 'Password' } as const;
  return code ? ({ type: 'magic_auth', method: 'MagicAuth' } as const) : undefined;
}
