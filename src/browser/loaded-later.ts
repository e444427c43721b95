/** What few pages need: signing in, and saying why the service refuses. */
export { refused } from './refusal.js';
export { signInsOf } from './sign-ins.js';
