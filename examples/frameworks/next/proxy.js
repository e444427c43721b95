import { next } from './sallyport.js';

export const proxy = next.proxy({ protect: ['/account'] });

// Every path but files.
export const config = { matcher: ['/((?!_next/static|_next/image|favicon.ico).*)'] };
