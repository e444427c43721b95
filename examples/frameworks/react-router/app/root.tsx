import type { ReactNode } from 'react';
import { isRouteErrorResponse, Links, Meta, Outlet, Scripts, ScrollRestoration } from 'react-router';
import { SessionProvider } from 'sallyport/react';
import type { Route } from './+types/root';
import { authContext, sessionMiddleware } from './session.server';

export const middleware: Route.MiddlewareFunction[] = [sessionMiddleware];

export function loader({ context }: Route.LoaderArgs) {
  const { session } = context.get(authContext);
  return { session: session && { ...session } };
}

export const meta: Route.MetaFunction = () => [{ title: 'Harbour' }];

export const links: Route.LinksFunction = () => [{ rel: 'icon', href: 'data:,' }];

export function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <Meta />
        <Links />
      </head>
      <body>
        {children}
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  );
}

export default function App({ loaderData }: Route.ComponentProps) {
  return (
    <SessionProvider session={loaderData.session}>
      <Outlet />
    </SessionProvider>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return (
    <main>
      <p>{isRouteErrorResponse(error) ? `${error.status} ${error.statusText}` : 'Something went wrong.'}</p>
    </main>
  );
}
