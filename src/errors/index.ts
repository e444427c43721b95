export { mask, quotable, type Redactor, redact, redactor } from './redact.js';
export * from './sallyport-error.js';
