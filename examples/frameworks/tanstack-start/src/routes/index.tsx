import { createFileRoute, Link } from '@tanstack/react-router';

export const Route = createFileRoute('/')({ component: Home });

function Home() {
  const { account } = Route.useRouteContext();
  return (
    <main>
      <p>{account ? `Hello ${account.email}` : 'Hello stranger'}</p>
      <Link to="/account">Your account</Link>
      {/* Answered by server.ts: the router knows no such page. */}
      {!account && <a href="/sign-in">Sign in</a>}
    </main>
  );
}
