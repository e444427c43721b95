// Re-exports only the default, so that bundles do not contain the rest of ky.
export { default } from 'ky';
