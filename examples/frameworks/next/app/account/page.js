import { home, next } from '../../sallyport.js';

async function signOut() {
  'use server';
  await next.signOut({ returnTo: home });
}

async function switchOrganization(form) {
  'use server';
  await next.switchOrganization(String(form.get('organization')));
}

async function refresh() {
  'use server';
  await next.refresh();
}

export default async function Account() {
  const { user, organizationId, permissions } = await next.requireSession();
  return (
    <main>
      <p>{`${user.email} in ${organizationId ?? 'no organization'} may: ${permissions.join(' ') || 'nothing'}`}</p>
      <form action={switchOrganization}>
        <label>
          Organization <input name="organization" />
        </label>
        <button type="submit">Switch</button>
      </form>
      <form action={refresh}>
        <button type="submit">Refresh</button>
      </form>
      <form action={signOut}>
        <button type="submit">Sign out</button>
      </form>
    </main>
  );
}
