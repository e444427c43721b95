import { createRootRoute, HeadContent, Outlet, Scripts } from '@tanstack/react-router';
import { createServerFn } from '@tanstack/react-start';

const getAccount = createServerFn().handler(({ context: { auth } }) => {
  const { session } = auth;
  return (
    session && {
      email: session.user.email,
      organizationId: session.organizationId,
      permissions: session.permissions,
    }
  );
});

export const Route = createRootRoute({
  beforeLoad: async () => ({ account: await getAccount() }),
  head: () => ({
    meta: [
      { charSet: 'utf-8' },
      { name: 'viewport', content: 'width=device-width, initial-scale=1' },
      { title: 'Harbour' },
    ],
    links: [{ rel: 'icon', href: 'data:,' }],
  }),
  component: Root,
});

function Root() {
  return (
    <html lang="en">
      <head>
        <HeadContent />
      </head>
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  );
}
