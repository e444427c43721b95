import { admits, isInOwnDomain } from '../rooms/connections/profiles.js';
import { type ConnectionRecord, connections, profiles } from '../rooms/connections/records.js';
import { organizations } from '../rooms/organizations/records.js';
import type { UserRecord } from '../rooms/users/records.js';
import type { Answer } from '../server/answer.js';
import { errorPage } from '../server/error-page.js';
import { html } from '../server/html.js';
import type { Router } from '../server/router.js';
import { type AuthorizationErrorCode, type AuthorizationRecord, failAuthorization } from '../sign-in/authorizations.js';
import { organizationsOf } from '../sign-in/sign-in.js';
import { emailKeyOf } from '../world/email-key.js';
import { applicationOf } from './application.js';
import { signInByConnection } from './authorize-connection.js';
import { Fields, type FormError, fieldText, or, submit } from './forms.js';
import { addressOf, formsOf, frame } from './frame.js';
import { emailOf } from './known-email.js';
import { person, personFields, personIn } from './person.js';
import { chosenPerson, peopleFor, personButtons } from './seeded-people.js';
import { hostedPage, type Visit } from './visit.js';

/** What an identity provider may do instead of vouching for somebody. */
const failures: Readonly<
  Partial<Record<AuthorizationErrorCode, { readonly label: string; readonly description: string }>>
> = {
  access_denied: { label: 'Cancel', description: 'The identity provider denied access.' },
  server_error: {
    label: 'Answer with something unusable',
    description: 'The answer of the identity provider could not be used.',
  },
  idp_initiated_sso_disabled: {
    label: 'Start at the identity provider, which is not allowed',
    description: 'Sign-ins that start at the identity provider are disabled for this connection.',
  },
};

/** The page that stands in for the identity provider of a connection: whoever is chosen there is vouched for. */
export function identityProviderPage(router: Router): void {
  hostedPage(router, 'identity-provider', {
    show: (visit, errors) => at(visit, (connection) => show(visit, connection, errors)),
    take: (visit) => at(visit, (connection) => take(visit, connection)),
  });
}

/** The connection of the authorization, or the one chosen at the hosted pages. */
function at(visit: Visit, answer: (connection: ConnectionRecord) => Answer): Answer {
  const { world, authorization, query, body } = visit;
  const id = authorization.connectionId ?? (fieldText(body, 'connection') || query.get('connection'));
  const connection = id ? world.of(connections).find(id) : undefined;
  if (connection && authorization.selector !== 'provider') return answer(connection);
  return errorPage(
    404,
    'No such connection',
    'The connection to this identity provider is unknown or has been deleted.',
    {
      url: addressOf('sign-in', authorization),
      label: 'Sign in another way',
    },
  );
}

function show(visit: Visit, connection: ConnectionRecord, errors: readonly FormError[] = []): Answer {
  const { world, authorization, body } = visit;
  const fields = new Fields(errors);
  const own = formsOf('identity-provider', visit, { about: { connection: connection.id } });
  const people = world.of(profiles).where('connectionId', connection.id).values();
  const seeded = peopleAt(visit, connection);
  const isKnown = people.length > 0 || seeded.length > 0;
  const { access_denied: cancel, ...others } = failures;
  return frame(
    visit,
    `Sign in at ${ownerOf(visit, connection)}`,
    html`${fields.summary}
${
  isKnown
    ? html`${own(
        html`<div class="stack">${people.map(({ id, firstName, lastName, email }) =>
          submit(person({ firstName, lastName, email }), { name: 'profile', value: id, look: 'second choice' }),
        )}${personButtons(seeded)}</div>`,
      )}
${or}`
    : undefined
}
${own(
  html`${personFields(fields, body, { email: emailOf(visit), first: !isKnown })}
${fields.field({
  name: 'groups',
  label: 'Groups',
  value: fieldText(body, 'groups'),
  hint: 'Separated by commas.',
  autocomplete: 'off',
  optional: true,
})}
${submit('Sign in')}`,
)}
${own(submit(cancel?.label ?? 'Cancel', { name: 'fail', value: 'access_denied', look: 'second' }))}
<details>
<summary>Let it go wrong</summary>
${own(
  html`<div class="stack">${Object.entries(others).map(([code, { label }]) =>
    submit(html`${label} <small>${code}</small>`, { name: 'fail', value: code, look: 'second choice' }),
  )}</div>`,
)}
</details>`,
    {
      wrong: errors.length > 0,
      lead: html`A stand-in for the identity provider (${connection.connectionType}) that says to <strong>${applicationOf(world, authorization)}</strong> who you are.`,
    },
  );
}

const ownerOf = ({ world }: Visit, { organizationId, name }: ConnectionRecord): string =>
  organizationId === null ? name : world.of(organizations).get(organizationId).name;

/** People of the seed for whom the connection may speak and whom it does not know yet; choosing one makes a profile. */
function peopleAt(visit: Visit, connection: ConnectionRecord): readonly UserRecord[] {
  const { world } = visit;
  const { id, organizationId } = connection;
  const emailKeys = new Set(
    world
      .of(profiles)
      .where('connectionId', id)
      .values()
      .map(({ email }) => emailKeyOf(email)),
  );
  const belongs = (user: UserRecord): boolean =>
    organizationId === null ||
    isInOwnDomain(world, connection, user.email) ||
    organizationsOf(world, user.id).some(({ id }) => id === organizationId);
  return peopleFor(
    visit,
    (user) => !emailKeys.has(user.emailKey) && belongs(user) && admits(world, connection, user.email),
  );
}

function take(visit: Visit, connection: ConnectionRecord): Answer {
  const { world, body } = visit;
  const authorization: AuthorizationRecord = { ...visit.authorization, connectionId: connection.id };
  const fail = fieldText(body, 'fail');
  const failure = Object.hasOwn(failures, fail) ? failures[fail as AuthorizationErrorCode] : undefined;
  // The code is one of the keys, by the test above.
  if (failure) return failAuthorization(world, authorization, fail as AuthorizationErrorCode, failure.description);
  const profile = world.of(profiles).find(fieldText(body, 'profile'));
  if (profile?.connectionId === connection.id) return signInByConnection(world, authorization, profile);
  const chosen = chosenPerson(visit, peopleAt(visit, connection));
  if (chosen) {
    const { email, firstName, lastName } = chosen;
    return signInByConnection(world, authorization, { email, firstName, lastName });
  }
  const identity = personIn(body);
  if ('field' in identity) return show(visit, connection, [identity]);
  const groups = fieldText(body, 'groups')
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
  return signInByConnection(world, authorization, { ...identity, groups });
}
