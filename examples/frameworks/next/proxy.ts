import { problemPage } from './problem-page';
import { next } from './sallyport';

export const proxy = next.proxy({
  protect: ['/account', '/stream'],
  open: ['/stream/go'],
  maxAgeMs: { '/password': 300_000 },
  permission: { '/reports': 'docs:plan' },
  page: problemPage,
  // Handles /sign-in, /callback and /sign-out.
  routes: true,
});

// All paths except static files.
export const config = { matcher: ['/((?!_next/static|_next/image|favicon.ico).*)'] };
