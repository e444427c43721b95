import { authContext } from '../session.server';
import type { Route } from './+types/account';

export function loader({ context }: Route.LoaderArgs) {
  return { email: context.get(authContext).session?.user.email };
}

export default function Account({ loaderData }: Route.ComponentProps) {
  return (
    <main>
      <p>You are signed in as {loaderData.email}.</p>
      <form method="post" action="/sign-out">
        <button type="submit">Sign out</button>
      </form>
    </main>
  );
}
