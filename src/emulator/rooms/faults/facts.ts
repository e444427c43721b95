import type { Facts } from '../../world/facts.js';
import { type ActiveFault, activeFault } from './fault.js';
import { faults } from './faults.js';

export const faultFacts: Facts<ActiveFault> = {
  model: activeFault,
  all: (memory) => memory.of(faults).list,
  columns: [
    { label: 'Applies to', of: ({ of = 'answers' }) => of },
    { label: 'Where', of: ({ operation, path, event }) => operation ?? path ?? event ?? 'all' },
    { label: 'Settings', of: ({ id: _, of: __, operation, path, event, times, ...settings }) => settings },
    { label: 'Times left', of: ({ times }) => times ?? 'until removed' },
  ],
  empty: 'No faults.',
  actions: [{ control: 'faults.remove', label: 'Remove' }],
};
