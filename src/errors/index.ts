export { mask, redact } from './redact.js';
export * from './sallyport-error.js';
