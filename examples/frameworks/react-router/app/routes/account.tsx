import { data, Form, redirect } from 'react-router';
import { SignOutButton, useSession } from 'sallyport/react';
import { sessions } from '../session.server';
import type { Route } from './+types/account';

// After signing out, the back button must not show the cached page.
export const headers: Route.HeadersFunction = () => ({ 'cache-control': 'private, no-store' });

export async function action({ request }: Route.ActionArgs) {
  const organization = (await request.formData()).get('organization');
  const result = await (organization === null
    ? sessions.refresh(request)
    : sessions.switchOrganization(request, String(organization)));
  if (result.status === 'refused') return data(result.reason, { headers: result.headers });
  throw redirect('/account', { headers: result.headers });
}

export default function Account({ actionData }: Route.ComponentProps) {
  const { session } = useSession();
  if (!session) return null;
  const { user, organizationId, permissions } = session;
  return (
    <main>
      <p>{`${user.email} in ${organizationId ?? 'no organization'} may: ${permissions.join(' ') || 'nothing'}`}</p>
      {actionData && <p>{`You cannot switch: ${actionData}`}</p>}
      <Form method="post">
        <label>
          Organization <input name="organization" />
        </label>
        <button type="submit">Switch</button>
      </Form>
      <Form method="post">
        <button type="submit">Refresh</button>
      </Form>
      <SignOutButton />
    </main>
  );
}
