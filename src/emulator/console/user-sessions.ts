import { formTargetsOf } from '../hosted/frame.js';
import { progressOf } from '../hosted/progress.js';
import { signInSeededUser } from '../hosted/seeded-people.js';
import { memberships } from '../rooms/memberships/records.js';
import { organizations } from '../rooms/organizations/records.js';
import { type UserRecord, users } from '../rooms/users/records.js';
import { errorPage } from '../server/error-page.js';
import { type Html, html } from '../server/html.js';
import { allowsRedirectUri, defaultRedirectUri } from '../server/redirect-uris.js';
import { requestLog } from '../server/request-log.js';
import type { PageExchange, RoomPart } from '../server/router.js';
import { formTokenField } from '../server/visitor.js';
import { startAuthorization } from '../sign-in/authorizations.js';
import { sessions, statusOf } from '../sign-in/sessions.js';
import type { World } from '../world/world.js';
import type { Actions } from './actions.js';
import { at, home } from './frame.js';
import { newestOf } from './lists.js';
import { code, table, time } from './parts.js';

const openPath = `${home}/users/:id/open`;

/** Signs a user in at the application, as if the application had asked for it. */
export const openAs: RoomPart = {
  routes(router) {
    router.page('POST', openPath, (exchange) => {
      const { world, params, visitor, request } = exchange;
      const user = world.of(users).find(params.id ?? '');
      const redirectUri = redirectUriIn(world);
      if (!user || redirectUri === undefined)
        return errorPage(
          404,
          'Nothing here',
          'There is no such user, or no redirect URI to go to. Go back and load the page again.',
        );
      const authorization = startAuthorization(world, {
        visitorId: visitor.id,
        purpose: 'user_management',
        clientId: world.settings.clientId,
        redirectUri,
        selector: 'hosted',
        loginHint: user.email,
        userAgent: request.headers.get('user-agent'),
      });
      return signInSeededUser({ ...exchange, authorization, progress: progressOf(world, authorization) }, user);
    });
  },
};

/** Where the application waits for its users: the default redirect URI, or else the one it asked for last. */
function redirectUriIn(world: World): string | undefined {
  const asked = world.of(requestLog).requests.findLast(({ operation }) => operation?.id === 'userManagement.authorize');
  const last = asked && new URLSearchParams(asked.path.split('?')[1]).get('redirect_uri');
  return defaultRedirectUri(world) ?? (last && allowsRedirectUri(world, last) ? last : undefined);
}

/** Where forms of the page of a user lead beside the emulator: to the application. */
export function applicationTargets(world: World): readonly string[] {
  const redirectUri = redirectUriIn(world);
  return redirectUri === undefined ? [] : formTargetsOf(redirectUri);
}

/** The ways to be this user: in the application, and in a program. */
export function signInForms(exchange: PageExchange, actions: Actions, { id, email }: UserRecord): Html {
  const { world, visitor } = exchange;
  const redirectUri = redirectUriIn(world);
  const choices = world
    .of(memberships)
    .where('userId', id)
    .values()
    .map(
      ({ organizationId }) =>
        [organizationId, world.of(organizations).find(organizationId)?.name ?? organizationId] as const,
    );
  return html`<h2>Sign in as ${email}</h2>
${
  redirectUri === undefined
    ? html`<p>To open your application as this person, register where it takes people back: <code>redirect_uris</code> of a seed, or the control <code>addRedirectUri</code>. Signing in once from the application does it too.</p>`
    : html`<form class="action" method="post" action="${at(exchange, openPath.replace(':id', id))}">
<input type="hidden" name="${formTokenField}" value="${visitor.formToken}">
<button type="submit">Open the application</button>
</form>
<p class="hint">Goes to <code>${redirectUri}</code> with a code, as if ${email} had signed in here. Whoever is signed in there is replaced.</p>`
}
${actions.form(exchange, {
  control: 'signInAs',
  label: 'Get tokens',
  about: id,
  isAnswerShown: true,
  fields:
    choices.length < 2
      ? []
      : [{ name: 'organization_id', label: 'Organization', value: choices[0]![0], options: choices }],
})}`;
}

/** Where somebody is signed in, and how that ends. */
export function sessionTable(exchange: PageExchange, actions: Actions, userId: string): Html {
  const { world } = exchange;
  const { records, hint } = newestOf(world.of(sessions).where('userId', userId));
  const seconds = world.settings.accessTokenSeconds;
  const list = table(
    'Sessions',
    [
      { title: 'Signed in', look: 'tight' },
      { title: 'By', look: 'tight' },
      { title: 'Organization' },
      { title: 'Status', look: 'tight' },
      { title: 'Expires', look: 'tight' },
      { title: 'Id' },
      { title: 'Actions' },
    ],
    records.map((session) => {
      const status = statusOf(world, session);
      return [
        time(session.createdAt),
        session.method,
        session.organizationId && world.of(organizations).find(session.organizationId)?.name,
        status,
        time(session.endedAt ?? session.expiresAt),
        code(session.id),
        status === 'active'
          ? html`${actions.form(exchange, { control: 'endSession', label: 'End', about: session.id })}
${actions.form(exchange, { control: 'expireSession', label: 'Let it expire', about: session.id })}`
          : null,
      ];
    }),
    'Signed in nowhere.',
    records.map(({ id }) => id),
  );
  return html`<h2>Sessions</h2>
<p class="hint">A session that is over cannot be refreshed. An access token that is out works until it expires by itself, ${seconds} seconds after it was issued: the application checks it by itself, and by its own clock. To see one expire soon, start the emulator with <code>--access-token-seconds 5</code>.</p>
${hint}
${list}`;
}
