import { EventEmitter, once } from 'node:events';

const gate = new EventEmitter();
export const opened = () => once(gate, 'open');
export const open = () => gate.emit('open');
