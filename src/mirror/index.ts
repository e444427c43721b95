// The exports of 'sallyport/mirror'.

export type { MirrorKind } from './kinds.js';
export { type Mirror, mirror } from './mirror.js';
export { MirrorError, type MirrorErrorCode } from './mirror-error.js';
export type { MirrorOptions, MirrorProblem } from './options.js';
export type { Mirrored, SettledRecord } from './reads.js';
export type { MirrorState, MirrorStatus } from './status.js';
export { type MirrorTablesOptions, mirrorTables } from './tables.js';
export type { Difference, Verified, VerifyOptions, VerifyProgress } from './verify.js';
