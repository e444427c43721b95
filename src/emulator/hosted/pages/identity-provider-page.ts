import type { Answer } from '../../http/answer.js';
import { errorPage } from '../../http/error-page.js';
import { html } from '../../http/html.js';
import { admits, isInVerifiedDomain } from '../../rooms/connections/profiles.js';
import { type ConnectionRecord, connections, profiles } from '../../rooms/connections/records.js';
import { organizations } from '../../rooms/organizations/records.js';
import type { UserRecord } from '../../rooms/users/records.js';
import {
  type AuthorizationErrorCode,
  type AuthorizationRecord,
  failAuthorization,
} from '../../sign-in/authorizations/authorizations.js';
import { signInByConnection } from '../../sign-in/authorizations/authorize-connection.js';
import { organizationsOf } from '../../sign-in/proof/sign-in.js';
import { emailKeyOf } from '../../store/email-key.js';
import { applicationOf } from '../application.js';
import { type FormError, FormFields, fieldText, or, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { addressOf } from '../steps.js';
import type { HostedPage, PageAnswer, Visit } from '../visit.js';
import { emailOf } from './known-email.js';
import { person, personFields, personIn } from './person.js';
import { chosenPerson, peopleFor, personButtons } from './seeded-people.js';

/** Failures that the page offers, by error code. */
const failures: Readonly<
  Partial<Record<AuthorizationErrorCode, { readonly label: string; readonly description: string }>>
> = {
  access_denied: { label: 'Cancel', description: 'The identity provider denied access.' },
  server_error: {
    label: 'Send an invalid response',
    description: 'The response of the identity provider is invalid.',
  },
  idp_initiated_sso_disabled: {
    label: 'Refuse a sign-in that starts at the identity provider',
    description: 'Sign-ins that start at the identity provider are disabled for this connection.',
  },
};

/** The simulated identity provider of a connection. The user chooses or enters the identity to sign in with. */
export const identityProviderPage: HostedPage = {
  render: (visit, errors) => withConnection(visit, (connection) => render(visit, connection, errors)),
  handle: (visit) => withConnection(visit, (connection) => handle(visit, connection)),
};

/**
 * Pass the connection of the authorization, or the one chosen on the hosted pages, to `answer`. Responds with 404 if there is
 * none.
 */
function withConnection(visit: Visit, answer: (connection: ConnectionRecord) => PageAnswer): PageAnswer {
  const { memory, authorization, query, body } = visit;
  const id = authorization.connectionId ?? (fieldText(body, 'connection') || query.get('connection'));
  const connection = id ? memory.of(connections).find(id) : undefined;
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

function render(visit: Visit, connection: ConnectionRecord, errors: readonly FormError[] = []): Answer {
  const { memory, authorization, body } = visit;
  const fields = new FormFields(errors);
  const formFor = formsOf(visit, { about: { connection: connection.id } });
  const people = memory.of(profiles).where('connectionId', connection.id).values();
  const seeded = peopleAt(visit, connection);
  const isKnown = people.length > 0 || seeded.length > 0;
  const { access_denied: cancel, ...others } = failures;
  return frame(
    visit,
    `Sign in at ${ownerOf(visit, connection)}`,
    html`${
      isKnown
        ? html`${formFor(
            html`<div class="stack">${people.map(({ id, firstName, lastName, email }) =>
              submit(person({ firstName, lastName, email }), { name: 'profile', value: id, look: 'second choice' }),
            )}${personButtons(seeded)}</div>`,
          )}
${or}`
        : undefined
    }
${formFor(
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
${formFor(submit(cancel?.label ?? 'Cancel', { name: 'fail', value: 'access_denied', look: 'second' }))}
<details>
<summary>Simulate a failure</summary>
${formFor(
  html`<div class="stack">${Object.entries(others).map(([code, { label }]) =>
    submit(html`${label} <small>${code}</small>`, { name: 'fail', value: code, look: 'second choice' }),
  )}</div>`,
)}
</details>`,
    {
      fields,
      lead: html`A stand-in for the identity provider (${connection.connectionType}) that signs you in to <strong>${applicationOf(memory, authorization)}</strong>.`,
    },
  );
}

const ownerOf = ({ memory }: Visit, { organizationId, name }: ConnectionRecord): string =>
  organizationId === null ? name : memory.of(organizations).get(organizationId).name;

/** List the seeded users who may sign in through the connection and have no profile yet. Choosing one creates the profile. */
function peopleAt(visit: Visit, connection: ConnectionRecord): readonly UserRecord[] {
  const { memory } = visit;
  const { id, organizationId } = connection;
  const emailKeys = new Set(
    memory
      .of(profiles)
      .where('connectionId', id)
      .values()
      .map(({ email }) => emailKeyOf(email)),
  );
  const belongs = (user: UserRecord): boolean =>
    organizationId === null ||
    isInVerifiedDomain(memory, connection, user.email) ||
    organizationsOf(memory, user.id).some(({ id }) => id === organizationId);
  return peopleFor(
    visit,
    (user) => !emailKeys.has(user.emailKey) && belongs(user) && admits(memory, connection, user.email),
  );
}

function handle(visit: Visit, connection: ConnectionRecord): PageAnswer {
  const { memory, body } = visit;
  const authorization: AuthorizationRecord = { ...visit.authorization, connectionId: connection.id };
  const fail = fieldText(body, 'fail');
  const failure = Object.hasOwn(failures, fail) ? failures[fail as AuthorizationErrorCode] : undefined;
  // The cast is safe because `fail` is a key of `failures`.
  if (failure) return failAuthorization(memory, authorization, fail as AuthorizationErrorCode, failure.description);
  const profile = memory.of(profiles).find(fieldText(body, 'profile'));
  if (profile?.connectionId === connection.id) return signInByConnection(memory, authorization, profile);
  const person = chosenPerson(visit, peopleAt(visit, connection));
  if (person) {
    const { email, firstName, lastName } = person;
    return signInByConnection(memory, authorization, { email, firstName, lastName });
  }
  const identity = personIn(body);
  if ('field' in identity) return render(visit, connection, [identity]);
  const groups = fieldText(body, 'groups')
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
  return signInByConnection(memory, authorization, { ...identity, groups });
}
