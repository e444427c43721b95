import Link from 'next/link';
import { Suspense } from 'react';
import { next } from '../sallyport';

export default function HomePage() {
  return (
    <Suspense>
      <Home />
    </Suspense>
  );
}

async function Home() {
  const session = await next.getSession();
  return (
    <>
      <p>{session ? `Hello ${session.user.email}` : 'Hello stranger'}</p>
      <Link href="/account">Your account</Link>
      {!session && <Link href="/sign-in">Sign in</Link>}
    </>
  );
}
