import { EventEmitter, once } from 'node:events';

// Pages and routes may each have a copy of this module.
const shared = globalThis as typeof globalThis & { gate?: EventEmitter };
shared.gate ??= new EventEmitter();
const { gate } = shared;

export const opened = () => once(gate, 'open');
export const open = () => gate.emit('open');
