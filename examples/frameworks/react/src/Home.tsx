import { Link } from 'react-router';
import { SignInLink, useSession } from 'sallyport/react';

export function Home() {
  const { session } = useSession();
  return (
    <>
      <p>Hello {session?.user.email ?? 'stranger'}</p>
      <Link to="/account">Your account</Link>
      {!session && <SignInLink />}
    </>
  );
}
