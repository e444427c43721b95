import { createFileRoute, redirect, useRouter } from '@tanstack/react-router';
import { createServerFn } from '@tanstack/react-start';
import { appendResponseHeader, getRequest } from '@tanstack/react-start/server';
import { type FormEvent, useState } from 'react';
import { sessions } from '../sessions';

const switchOrganization = createServerFn({ method: 'POST' })
  .validator((organizationId: string) => organizationId)
  .handler(async ({ data: organizationId }) => {
    const result = await sessions.switchOrganization(getRequest(), organizationId);
    appendResponseHeader('set-cookie', result.headers.getSetCookie());
    return result.status === 'refused' ? result.reason : undefined;
  });

const refresh = createServerFn({ method: 'POST' }).handler(async () => {
  const { headers } = await sessions.refresh(getRequest());
  appendResponseHeader('set-cookie', headers.getSetCookie());
});

export const Route = createFileRoute('/account')({
  beforeLoad: ({ context, location }) => {
    // Load the page from the server, which redirects to sign in and back.
    if (!context.account) throw redirect({ href: location.href, reloadDocument: true });
    return { account: context.account };
  },
  // After signing out, the back button must not show the cached page.
  headers: () => ({ 'cache-control': 'private, no-store' }),
  component: Account,
});

function Account() {
  const { email, organizationId, permissions } = Route.useRouteContext().account;
  const router = useRouter();
  const [refusal, setRefusal] = useState<string>();

  async function onSwitch(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const organization = String(new FormData(event.currentTarget).get('organization'));
    setRefusal(await switchOrganization({ data: organization }));
    await router.invalidate();
  }

  async function onRefresh(event: FormEvent) {
    event.preventDefault();
    await refresh();
    await router.invalidate();
  }

  return (
    <main>
      <p>{`${email} in ${organizationId ?? 'no organization'} may: ${permissions.join(' ') || 'nothing'}`}</p>
      {refusal && <p>{`You cannot switch: ${refusal}`}</p>}
      <form onSubmit={onSwitch}>
        <label>
          Organization <input name="organization" />
        </label>
        <button type="submit">Switch</button>
      </form>
      <form onSubmit={onRefresh}>
        <button type="submit">Refresh</button>
      </form>
      <form method="post" action="/sign-out">
        <button type="submit">Sign out</button>
      </form>
    </main>
  );
}
