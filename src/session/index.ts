export type { CookieOptions } from './cookies.js';
