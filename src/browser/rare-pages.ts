/** Code that few pages need: sign-in, and the messages of rejections. */
export { refusedError } from './refusal.js';
export { SignIns } from './sign-ins.js';
