import { createFileRoute, redirect } from '@tanstack/react-router';
import { createServerFn } from '@tanstack/react-start';

const getEmail = createServerFn().handler(({ context: { auth } }) => auth.session?.user.email);

export const Route = createFileRoute('/account')({
  loader: async ({ location }) => {
    const email = await getEmail();
    // After a client-side navigation, load the page from the server, which redirects to sign in and back.
    if (!email) throw redirect({ href: location.href, reloadDocument: true });
    return { email };
  },
  component: Account,
});

function Account() {
  const { email } = Route.useLoaderData();
  return (
    <main>
      <p>You are signed in as {email}.</p>
      <form method="post" action="/sign-out">
        <button type="submit">Sign out</button>
      </form>
    </main>
  );
}
