import { protectedFiles, rewrites } from './protected-files.js';

type Files = Readonly<Record<string, string | null>>;

/** A page that the proxy does not protect, which takes a recent sign-in for itself and for its action. */
export const ofNext: Files = {
  'app/recent/page.tsx': `import { Suspense } from 'react';
import { next } from '../../sallyport';

export default function RecentPage() {
  return <Suspense><Recent /></Suspense>;
}

async function Recent() {
  const { user } = await next.requireSession();
  return <form action={pay}><p>{'Pay as ' + user.email}</p><button type="submit">Pay</button></form>;
}

async function pay() {
  'use server';
  await next.requireSession({ maxAgeMs: 300_000 });
}`,
};

/** The proxy as it was called before Next 16. It runs at the edge, where it is not told otherwise. */
export const asMiddleware: Files = {
  'proxy.ts': null,
  'middleware.ts': protectedFiles.next['proxy.ts'].replace('const proxy', 'const middleware'),
};

/** Next 15 does not know components that are cached. */
export const inNext15: Files = { ...asMiddleware, 'next.config.ts': `export default { ${rewrites} };` };
