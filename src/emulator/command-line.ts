// Internal exports for the command line.

export { createEmulatorWith } from './emulator.js';
export { isLoopback } from './http/loopback.js';
export { ModuleSeedError } from './seed/module.js';
export { reportProblems, type Source, sourceOf } from './seed/source.js';
export { type Duration, millisecondsOf } from './world/clock.js';
export type { DeliveryFailure, DevSettings } from './world/settings.js';
