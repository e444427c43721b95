import { createFileRoute, Link } from '@tanstack/react-router';

export const Route = createFileRoute('/')({ component: Home });

function Home() {
  const { account } = Route.useRouteContext();
  return (
    <main>
      <p>{account ? `Hello ${account.email}` : 'Hello stranger'}</p>
      <Link to="/account">Your account</Link>
      {/* server.ts handles this path. The router has no page for it. */}
      {!account && <a href="/sign-in">Sign in</a>}
    </main>
  );
}
