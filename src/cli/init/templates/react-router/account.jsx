import { authContext } from '../session.server';

export function loader({ context }) {
  return { email: context.get(authContext).session?.user.email };
}

export default function Account({ loaderData }) {
  return (
    <main>
      <p>You are signed in as {loaderData.email}.</p>
      <form method="post" action="/sign-out">
        <button type="submit">Sign out</button>
      </form>
    </main>
  );
}
