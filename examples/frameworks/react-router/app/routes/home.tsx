import { Link } from 'react-router';
import { useSession } from 'sallyport/react';

export default function Home() {
  const { session } = useSession();
  return (
    <main>
      <p>{session ? `Hello ${session.user.email}` : 'Hello stranger'}</p>
      <Link to="/account">Your account</Link>
      {!session && <Link to="/sign-in">Sign in</Link>}
    </main>
  );
}
