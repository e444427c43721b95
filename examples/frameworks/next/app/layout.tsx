import type { Metadata } from 'next';
import { Suspense } from 'react';
import { SessionProvider } from 'sallyport/react';
import { next } from '../sallyport';
import { Menu } from './menu';

export const metadata: Metadata = { title: 'Harbour', icons: 'data:,' };

export default function Layout({ children }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <body>
        <Suspense>
          <Header />
        </Suspense>
        <main>{children}</main>
      </body>
    </html>
  );
}

async function Header() {
  return (
    <SessionProvider session={await next.getSessionData()}>
      <Menu />
    </SessionProvider>
  );
}
