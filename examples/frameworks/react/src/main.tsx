import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { SessionProvider } from 'sallyport/react';
import { Account } from './Account.tsx';
import { App } from './App.tsx';
import { client } from './client.ts';
import { Home } from './Home.tsx';
import { Reports } from './Reports.tsx';

const router = createBrowserRouter([
  {
    Component: App,
    children: [
      { path: '/', Component: Home },
      { path: '/callback', Component: Home },
      { path: '/account', Component: Account },
      { path: '/reports', Component: Reports },
    ],
  },
]);

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <SessionProvider client={client} onSignIn={(path) => router.navigate(path, { replace: true })}>
      <RouterProvider router={router} />
    </SessionProvider>
  </StrictMode>,
);
