import { isWebUri } from '../../redirect-uris/rules.js';
import { formTargetsOf } from '../hosted/layout.js';
import { signInSeededUser } from '../hosted/pages/seeded-people.js';
import { goToCurrentStep } from '../hosted/steps.js';
import { errorPage } from '../http/error-page.js';
import { type Html, html } from '../http/html.js';
import type { PageExchange, RoomPart } from '../http/router.js';
import { formTokenField } from '../http/visitor.js';
import { memberships } from '../rooms/memberships/records.js';
import { organizations } from '../rooms/organizations/records.js';
import { allowsRedirectUri, defaultRedirectUri } from '../rooms/redirect-uris/records.js';
import { requestLog } from '../rooms/requests/request-log.js';
import { type UserRecord, users } from '../rooms/users/records.js';
import { startAuthorization } from '../sign-in/authorizations/authorizations.js';
import type { Memory } from '../world/memory.js';
import type { Actions } from './actions.js';
import { at, home } from './layout.js';

const openPath = `${home}/users/:id/open`;

/** Signs a user in to the application, as if the application had requested it. */
export const openAs: RoomPart = {
  routes(router) {
    router.page('POST', openPath, ({ memory, params, visitor, request }) => {
      const user = memory.of(users).find(params.id ?? '');
      const redirectUri = redirectUriIn(memory);
      if (!user || redirectUri === undefined)
        return errorPage(
          404,
          'Not found',
          'This user or the redirect URI no longer exists. Go back and reload the page.',
        );
      const authorization = startAuthorization(memory, {
        visitorId: visitor.id,
        purpose: 'user_management',
        clientId: memory.settings.clientId,
        redirectUri,
        selector: 'hosted',
        loginHint: user.email,
        userAgent: request.headers.get('user-agent'),
      });
      const place = { memory, authorization };
      return signInSeededUser(place, user) ?? goToCurrentStep(place);
    });
  },
};

/** Get the default redirect URI, or the one that an application on the web requested last. */
function redirectUriIn(memory: Memory): string | undefined {
  const requested = memory
    .of(requestLog)
    .requests.filter(({ operation }) => operation?.id === 'userManagement.authorize')
    .map(({ path }) => new URLSearchParams(path.split('?')[1]).get('redirect_uri') ?? '');
  return defaultRedirectUri(memory) ?? requested.findLast((uri) => isWebUri(uri) && allowsRedirectUri(memory, uri));
}

/** Get the origins of the application, which forms of a user page may submit to. */
export function applicationTargets(memory: Memory): readonly string[] {
  const redirectUri = redirectUriIn(memory);
  return redirectUri === undefined ? [] : formTargetsOf(redirectUri);
}

/** Render the forms that open the application as a user or get tokens for the user. */
export function signInForms(exchange: PageExchange, actions: Actions, { id, email }: UserRecord): Html {
  const { memory, visitor } = exchange;
  const redirectUri = redirectUriIn(memory);
  const choices = memory
    .of(memberships)
    .where('userId', id)
    .values()
    .map(
      ({ organizationId }) =>
        [organizationId, memory.of(organizations).find(organizationId)?.name ?? organizationId] as const,
    );
  return html`<h2>Sign in as ${email}</h2>
${
  redirectUri === undefined
    ? html`<p>To open your application as this user, register a redirect URI with <code>redirect_uris</code> in a seed or the control <code>addRedirectUri</code>, or sign in once from the application.</p>`
    : html`<form class="action" method="post" action="${at(exchange, openPath.replace(':id', id))}">
<input type="hidden" name="${formTokenField}" value="${visitor.formToken}">
<button type="submit">Open the application</button>
</form>
<p class="hint">Redirects to <code>${redirectUri}</code> with a code, as if ${email} had signed in here. This replaces the user who is signed in there.</p>`
}
${actions.form(exchange, {
  control: 'signInAs',
  label: 'Get tokens',
  about: id,
  showsResponse: true,
  fields:
    choices.length < 2
      ? []
      : [{ name: 'organization_id', label: 'Organization', value: choices[0]![0], options: choices }],
})}`;
}

/** Explain the buttons of the sessions. */
export const sessionHint = ({ memory }: PageExchange): Html =>
  html`<p class="hint">An ended session cannot be refreshed. Its access token works until it expires, ${memory.settings.accessTokenLifetimeMs / 1_000} seconds after it was issued. The application checks this with its own clock, not with the clock of the emulator. To test expiry, start the emulator with <code>--access-token-lifetime 5s</code>.</p>`;
