/** Code that few pages need: sign-in, and the messages of rejections. */
export { refused } from './refusal.js';
export { signInsOf } from './sign-ins.js';
