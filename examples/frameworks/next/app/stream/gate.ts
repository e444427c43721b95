import { EventEmitter, once } from 'node:events';

// Next may load this module once for pages and once for routes, so share the emitter through globalThis.
const shared = globalThis as typeof globalThis & { gate?: EventEmitter };
shared.gate ??= new EventEmitter();
const { gate } = shared;

export const opened = () => once(gate, 'open');
export const open = () => gate.emit('open');
