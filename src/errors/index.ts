export { mask, quotable, redact } from './redact.js';
export * from './sallyport-error.js';
