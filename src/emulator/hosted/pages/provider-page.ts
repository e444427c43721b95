import type { Answer } from '../../http/answer.js';
import { errorPage } from '../../http/error-page.js';
import { html } from '../../http/html.js';
import { providerNamed } from '../../rooms/connections/providers.js';
import { identities } from '../../rooms/users/identities.js';
import { type UserRecord, users } from '../../rooms/users/records.js';
import { type AuthorizationRecord, failAuthorization } from '../../sign-in/authorizations/authorizations.js';
import { signInByProvider } from '../../sign-in/authorizations/authorize-provider.js';
import { applicationOf } from '../application.js';
import { type FormError, FormFields, fieldText, or, submit } from '../forms.js';
import { formsOf, frame } from '../layout.js';
import { addressOf } from '../steps.js';
import type { HostedPage, PageAnswer, Visit } from '../visit.js';
import { emailOf, providerName } from './known-email.js';
import { person, personFields, personIn } from './person.js';
import { chosenPerson, peopleFor, personButtons } from './seeded-people.js';

/** The simulated social provider. The user chooses or enters an account and agrees, or cancels. */
export const providerPage: HostedPage = {
  render: (visit, errors) => withProvider(visit, (provider) => render(visit, provider, errors)),
  handle: (visit) => withProvider(visit, (provider) => handle(visit, provider)),
};

/**
 * Pass the provider of the authorization, or the one chosen on the hosted pages, to `answer`. Responds with 404 if there is none.
 */
function withProvider({ authorization, query, body }: Visit, answer: (provider: string) => PageAnswer): PageAnswer {
  const provider = providerNamed(
    authorization.provider ?? (fieldText(body, 'provider') || (query.get('provider') ?? '')),
  );
  if (provider !== undefined && authorization.selector !== 'connection') return answer(provider);
  return errorPage(404, 'No such provider', 'No social provider has this name.', {
    url: addressOf('sign-in', authorization),
    label: 'Sign in another way',
  });
}

function render(visit: Visit, provider: string, errors: readonly FormError[] = []): Answer {
  const { memory, authorization, body } = visit;
  const fields = new FormFields(errors);
  const formFor = formsOf(visit, { about: { provider } });
  const name = providerName(provider);
  const accounts = accountsAt(visit, provider);
  const people = peopleAt(visit, provider);
  const isKnown = accounts.length > 0 || people.length > 0;
  return frame(
    visit,
    `Continue with ${name}`,
    html`${
      isKnown
        ? html`${formFor(
            html`<div class="stack">${accounts.map(({ id, userId }) =>
              submit(person(memory.of(users).get(userId)), { name: 'account', value: id, look: 'second choice' }),
            )}${personButtons(people)}</div>`,
          )}
${or}`
        : undefined
    }
${formFor(
  html`${personFields(fields, body, { email: emailOf(visit), first: !isKnown })}
<label class="tick"><input type="checkbox" name="unverified" value="yes"${fieldText(body, 'unverified') ? html` checked` : undefined}> ${name} has not verified this address</label>
${submit('Agree and continue')}`,
)}
${formFor(submit('Cancel', { name: 'fail', value: 'access_denied', look: 'second' }))}
<details>
<summary>Simulate a failure</summary>
${formFor(
  html`<div class="stack">${submit(html`Fail at ${name} <small>oauth_failed</small>`, { name: 'fail', value: 'oauth_failed', look: 'second choice' })}</div>`,
)}
</details>`,
    {
      fields,
      lead: html`A stand-in for ${name}: <strong>${applicationOf(memory, authorization)}</strong> asks for your name and email address.`,
    },
  );
}

const accountsAt = ({ memory }: Visit, provider: string) =>
  memory.of(identities).filter((identity) => providerNamed(identity.provider ?? '') === provider);

/** List the seeded users without an account at the provider. Choosing one creates the account. */
const peopleAt = (visit: Visit, provider: string): readonly UserRecord[] => {
  const userIds = new Set(accountsAt(visit, provider).map(({ userId }) => userId));
  return peopleFor(visit, ({ id }) => !userIds.has(id));
};

function handle(visit: Visit, provider: string): PageAnswer {
  const { memory, body } = visit;
  const authorization: AuthorizationRecord = { ...visit.authorization, provider };
  const fail = fieldText(body, 'fail');
  if (fail === 'access_denied')
    return failAuthorization(memory, authorization, fail, `The user denied the request at ${providerName(provider)}.`);
  if (fail === 'oauth_failed')
    return failAuthorization(memory, authorization, fail, `The request to ${providerName(provider)} failed.`);
  const account = accountsAt(visit, provider).find(({ id }) => id === fieldText(body, 'account'));
  if (account) {
    const { email, emailVerified, firstName, lastName } = memory.of(users).get(account.userId);
    return signInByProvider(memory, authorization, {
      idpId: account.idpId ?? undefined,
      email,
      emailVerified,
      firstName,
      lastName,
    });
  }
  const person = chosenPerson(visit, peopleAt(visit, provider));
  if (person) {
    const { email, firstName, lastName } = person;
    return signInByProvider(memory, authorization, { email, firstName, lastName });
  }
  const identity = personIn(body);
  if ('field' in identity) return render(visit, provider, [identity]);
  return signInByProvider(memory, authorization, { ...identity, emailVerified: fieldText(body, 'unverified') === '' });
}
