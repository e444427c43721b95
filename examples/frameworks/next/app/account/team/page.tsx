import { Suspense } from 'react';
import { sallyport } from '../../../client';
import { next } from '../../../sallyport';
import { signOutEverywhere } from './actions';
import { Members } from './members';
import { Switcher } from './switcher';

export default function TeamPage() {
  return (
    <Suspense>
      <Team />
    </Suspense>
  );
}

async function Team() {
  const session = await next.requireSession();
  const { user, organizationId } = session;
  const memberships = await sallyport.userManagement
    .listOrganizationMemberships({ userId: user.id })
    .toArray({ max: 100 });
  const organizations = memberships
    .filter(({ status }) => status === 'active')
    .map(({ organizationId: id, organizationName }) => ({ id, name: organizationName ?? id }));
  return (
    <>
      <Switcher organizations={organizations} current={organizationId} />
      {organizationId && session.has({ permission: 'members:manage' }) && <Members organizationId={organizationId} />}
      <form action={signOutEverywhere}>
        <button type="submit">Sign out everywhere</button>
      </form>
    </>
  );
}
