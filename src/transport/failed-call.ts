// What says why a call failed and what to do about it: loaded with the first call that fails.
export { wordsOfRefusal } from './refusal.js';
export { isRefused, wordsOfSilence } from './unreachable.js';
