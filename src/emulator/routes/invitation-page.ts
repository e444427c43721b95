import type { Answer } from '../answer.js';
import { html, page } from '../html.js';
import type { PageExchange, Router } from '../router.js';
import { acceptInvitation, type InvitationRecord, invitations, stateOf } from '../state/invitations.js';
import { organizations } from '../state/organizations.js';
import type { World } from '../world.js';

const path = '/invitations/accept';

/** The page behind the link in an invitation's mail: shows whose invitation it is, and accepts it on a click. */
export function invitationPage(router: Router): void {
  router.page('GET', path, ({ world, query }) => {
    const invitation = invitationBy(world, query.get('token'));
    return (
      cannotBeAccepted(world, invitation) ??
      page(
        200,
        'You have been invited',
        html`<p>This invitation${into(world, invitation!)} is for <strong>${invitation!.email}</strong>.</p>
<form method="post"><input type="hidden" name="token" value="${invitation!.token}"><button>Accept</button></form>`,
      )
    );
  });

  router.page('POST', path, ({ world, body }) => {
    const invitation = invitationBy(world, tokenIn(body));
    const objection = cannotBeAccepted(world, invitation);
    if (objection) return objection;
    acceptInvitation(world, invitation!.id);
    return page(
      200,
      'Invitation accepted',
      html`<p><strong>${invitation!.email}</strong> has accepted the invitation${into(world, invitation!)}.</p>`,
    );
  });
}

const tokenIn = (body: PageExchange['body']): unknown => (body as { readonly token?: unknown } | undefined)?.token;

const invitationBy = (world: World, token: unknown): InvitationRecord | undefined =>
  typeof token === 'string' ? world.of(invitations).by('token', token) : undefined;

function cannotBeAccepted(world: World, invitation: InvitationRecord | undefined): Answer | undefined {
  if (!invitation) return page(404, 'No such invitation', html`<p>Check that the link is complete.</p>`);
  const state = stateOf(world, invitation);
  if (state === 'pending') return undefined;
  return page(410, `This invitation is ${state}`, html`<p>Ask whoever invited you for a new one.</p>`);
}

const into = (world: World, { organizationId }: InvitationRecord): string =>
  organizationId === null ? '' : ` to ${world.of(organizations).get(organizationId).name}`;
