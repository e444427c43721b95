import { type Answer, redirect } from '../../http/answer.js';
import { errorPage } from '../../http/error-page.js';
import { type Html, html, page } from '../../http/html.js';
import type { PageExchange, Router } from '../../http/router.js';
import {
  acceptInvitation,
  type InvitationRecord,
  invitationPath,
  invitations,
  stateOf,
} from '../../rooms/invitations/records.js';
import { organizations } from '../../rooms/organizations/records.js';
import { defaultRedirectUri } from '../../rooms/redirect-uris/records.js';
import { nameOf, userByEmail, users } from '../../rooms/users/records.js';
import { startAuthorization } from '../../sign-in/authorizations/authorizations.js';
import type { Memory } from '../../world/memory.js';
import { applicationOf } from '../application.js';
import { fieldText, form, submit } from '../forms.js';
import { homeLink } from '../home-link.js';
import { addressOf } from '../steps.js';

/**
 * Serve the page for the link in an invitation mail. The user can accept the invitation. If a redirect URI is registered, the
 * user can also sign in or sign up, and then continues to the application.
 */
export function invitationPage(router: Router): void {
  router.page('GET', invitationPath, ({ memory, query, visitor }) => {
    const invitation = invitationBy(memory, query.get('token') ?? '');
    if (!invitation || !isPending(memory, invitation)) return uselessInvitationPage(memory, invitation);
    const { token, email } = invitation;
    const redirectUri = defaultRedirectUri(memory);
    return page(
      200,
      'You have been invited',
      html`<p>${invitationText(memory, invitation)}${toOrganization(memory, invitation)}.</p>
${form(visitor, invitationPath, { token }, redirectUri === undefined ? submit('Accept') : waysToAccept(memory, email))}`,
      redirectUri === undefined
        ? {}
        : { lead: html`to continue to <strong>${applicationOf(memory, { redirectUri })}</strong>` },
    );
  });

  router.page('POST', invitationPath, (exchange) => {
    const { memory, body } = exchange;
    const invitation = invitationBy(memory, fieldText(body, 'token'));
    if (!invitation || !isPending(memory, invitation)) return uselessInvitationPage(memory, invitation);
    if (fieldText(body, 'way') === 'sign-in') return signInToAccept(exchange, invitation) ?? accept(memory, invitation);
    return accept(memory, invitation);
  });
}

/** Render the buttons for accepting with or without signing in. */
const waysToAccept = (memory: Memory, email: string): Html =>
  html`<div class="stack">${submit(userByEmail(memory, email) ? 'Sign in and accept' : 'Create an account and accept', { name: 'way', value: 'sign-in' })}
${submit('Accept without signing in', { look: 'second' })}</div>`;

function signInToAccept({ memory, request, visitor }: PageExchange, invitation: InvitationRecord): Answer | undefined {
  const redirectUri = defaultRedirectUri(memory);
  if (redirectUri === undefined) return undefined;
  const authorization = startAuthorization(memory, {
    visitorId: visitor.id,
    purpose: 'user_management',
    clientId: memory.settings.clientId,
    redirectUri,
    selector: 'hosted',
    loginHint: invitation.email,
    invitationToken: invitation.token,
    userAgent: request.headers.get('user-agent'),
  });
  return redirect(addressOf(userByEmail(memory, invitation.email) ? 'sign-in' : 'sign-up', authorization), 303);
}

function accept(memory: Memory, invitation: InvitationRecord): Answer {
  acceptInvitation(memory, invitation.id);
  return page(
    200,
    'Invitation accepted',
    html`<p><strong>${invitation.email}</strong> has accepted the invitation${toOrganization(memory, invitation)}.</p>
${homeLink(memory)}`,
  );
}

const invitationBy = (memory: Memory, token: string): InvitationRecord | undefined =>
  memory.of(invitations).by('token', token);

const isPending = (memory: Memory, invitation: InvitationRecord): boolean => stateOf(memory, invitation) === 'pending';

const uselessInvitationPage = (memory: Memory, invitation: InvitationRecord | undefined): Answer =>
  invitation
    ? errorPage(410, `This invitation is ${stateOf(memory, invitation)}`, 'Ask for a new invitation.')
    : errorPage(404, 'No such invitation', 'Check that the link is complete.');

function invitationText(memory: Memory, { inviterUserId, email }: InvitationRecord): Html {
  const inviter = inviterUserId === null ? undefined : memory.of(users).find(inviterUserId);
  return inviter
    ? html`${nameOf(inviter)} has invited <strong>${email}</strong>`
    : html`<strong>${email}</strong> has been invited`;
}

const toOrganization = (memory: Memory, { organizationId }: InvitationRecord): Html | undefined =>
  organizationId === null ? undefined : html` to <strong>${memory.of(organizations).get(organizationId).name}</strong>`;
