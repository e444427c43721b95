import { problemPage } from './problem-page';
import { next } from './sallyport';

export const proxy = next.proxy({
  protect: ['/'],
  open: ['/', '/api/me', '/stream/go', '/_next', '/favicon.ico', '/health'],
  maxAgeMs: { '/password': 300_000 },
  permission: { '/reports': 'reports:read' },
  page: problemPage,
  // Handles /sign-in, /callback and /sign-out.
  routes: true,
});

// All paths except the static files of Next. A pattern such as favicon.ico would also leave out /favicon.ico.map/account.
export const config = { matcher: ['/((?!_next/static/).*)'] };
