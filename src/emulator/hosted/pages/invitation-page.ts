import { type Answer, redirect } from '../../http/answer.js';
import { errorPage } from '../../http/error-page.js';
import { type Html, html, page } from '../../http/html.js';
import type { PageExchange, Router } from '../../http/router.js';
import { acceptInvitation, type InvitationRecord, invitations, stateOf } from '../../rooms/invitations/records.js';
import { organizations } from '../../rooms/organizations/records.js';
import { defaultRedirectUri } from '../../rooms/redirect-uris/records.js';
import { nameOf, userByEmail, users } from '../../rooms/users/records.js';
import { startAuthorization } from '../../sign-in/authorizations/authorizations.js';
import type { World } from '../../world/world.js';
import { applicationOf } from '../application.js';
import { fieldText, form, submit } from '../forms.js';
import { homeLink } from '../home-link.js';
import { addressOf } from '../layout.js';

const path = '/invitations/accept';

/**
 * Serve the page for the link in an invitation mail. The user can accept the invitation. If a redirect URI is registered, the
 * user can also sign in or sign up, and then continues to the application.
 */
export function invitationPage(router: Router): void {
  router.page('GET', path, ({ world, query, visitor }) => {
    const invitation = invitationBy(world, query.get('token') ?? '');
    if (!invitation || !isPending(world, invitation)) return uselessInvitationPage(world, invitation);
    const { token, email } = invitation;
    const redirectUri = defaultRedirectUri(world);
    return page(
      200,
      'You have been invited',
      html`<p>${invitationText(world, invitation)}${toOrganization(world, invitation)}.</p>
${form(visitor, path, { token }, redirectUri === undefined ? submit('Accept') : waysToAccept(world, email))}`,
      redirectUri === undefined
        ? {}
        : { lead: html`to continue to <strong>${applicationOf(world, { redirectUri })}</strong>` },
    );
  });

  router.page('POST', path, (exchange) => {
    const { world, body } = exchange;
    const invitation = invitationBy(world, fieldText(body, 'token'));
    if (!invitation || !isPending(world, invitation)) return uselessInvitationPage(world, invitation);
    if (fieldText(body, 'way') === 'sign-in') return startSignIn(exchange, invitation) ?? accept(world, invitation);
    return accept(world, invitation);
  });
}

/** Render the buttons for accepting with or without signing in. */
const waysToAccept = (world: World, email: string): Html =>
  html`<div class="stack">${submit(userByEmail(world, email) ? 'Sign in and accept' : 'Create an account and accept', { name: 'way', value: 'sign-in' })}
${submit('Accept without signing in', { look: 'second' })}</div>`;

function startSignIn({ world, request, visitor }: PageExchange, invitation: InvitationRecord): Answer | undefined {
  const redirectUri = defaultRedirectUri(world);
  if (redirectUri === undefined) return undefined;
  const authorization = startAuthorization(world, {
    visitorId: visitor.id,
    purpose: 'user_management',
    clientId: world.settings.clientId,
    redirectUri,
    selector: 'hosted',
    loginHint: invitation.email,
    invitationToken: invitation.token,
    userAgent: request.headers.get('user-agent'),
  });
  return redirect(addressOf(userByEmail(world, invitation.email) ? 'sign-in' : 'sign-up', authorization), 303);
}

function accept(world: World, invitation: InvitationRecord): Answer {
  acceptInvitation(world, invitation.id);
  return page(
    200,
    'Invitation accepted',
    html`<p><strong>${invitation.email}</strong> has accepted the invitation${toOrganization(world, invitation)}.</p>
${homeLink(world)}`,
  );
}

const invitationBy = (world: World, token: string): InvitationRecord | undefined =>
  world.of(invitations).by('token', token);

const isPending = (world: World, invitation: InvitationRecord): boolean => stateOf(world, invitation) === 'pending';

const uselessInvitationPage = (world: World, invitation: InvitationRecord | undefined): Answer =>
  invitation
    ? errorPage(410, `This invitation is ${stateOf(world, invitation)}`, 'Ask for a new invitation.')
    : errorPage(404, 'No such invitation', 'Check that the link is complete.');

function invitationText(world: World, { inviterUserId, email }: InvitationRecord): Html {
  const inviter = inviterUserId === null ? undefined : world.of(users).find(inviterUserId);
  return inviter
    ? html`${nameOf(inviter)} has invited <strong>${email}</strong>`
    : html`<strong>${email}</strong> has been invited`;
}

const toOrganization = (world: World, { organizationId }: InvitationRecord): Html | undefined =>
  organizationId === null ? undefined : html` to <strong>${world.of(organizations).get(organizationId).name}</strong>`;
