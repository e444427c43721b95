import { Suspense } from 'react';
import { next } from '../../sallyport';
import { refresh } from './actions';
import { Switch } from './switch';

export default function AccountPage() {
  return (
    <Suspense>
      <Account />
    </Suspense>
  );
}

async function Account() {
  const { user, organizationId, permissions } = await next.requireSession();
  return (
    <>
      <p>{`${user.email} in ${organizationId ?? 'no organization'} may: ${permissions.join(' ') || 'nothing'}`}</p>
      <Switch />
      <form action={refresh}>
        <button type="submit">Refresh</button>
      </form>
    </>
  );
}
