import { protectedFiles, rewrites } from './protected-files.js';

type Files = Readonly<Record<string, string | null>>;

/** A page that the proxy does not protect; it and its action require a recent sign-in themselves. */
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

/** The proxy under its name before Next 16. It runs at the edge by default. */
export const asMiddleware: Files = {
  'proxy.ts': null,
  'middleware.ts': protectedFiles.next['proxy.ts'].replace('const proxy', 'const middleware'),
};

/** Next 15 does not support cached components. */
export const inNext15: Files = { ...asMiddleware, 'next.config.ts': `export default { ${rewrites} };` };
