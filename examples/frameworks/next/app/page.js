import Link from 'next/link';
import { next } from '../sallyport.js';

export default async function Home() {
  const session = await next.getSession();
  return (
    <main>
      <p>{session ? `Hello ${session.user.email}` : 'Hello stranger'}</p>
      <Link href="/account">Your account</Link>
      {!session && <Link href="/sign-in">Sign in</Link>}
    </main>
  );
}
