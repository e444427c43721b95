// Of all that ky exports only this is loaded: the rest of it would otherwise be part of every bundle.
export { default } from 'ky';
