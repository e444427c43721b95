import { Suspense } from 'react';
import { next } from '../../sallyport';

export default function AccountPage() {
  return (
    <Suspense>
      <Account />
    </Suspense>
  );
}

async function Account() {
  const { user } = await next.requireSession();
  return (
    <main>
      <p>You are signed in as {user.email}.</p>
      <form method="post" action="/sign-out">
        <button type="submit">Sign out</button>
      </form>
    </main>
  );
}
