import { ref } from '../../../service/describe/define.js';
import { section } from '../../seed/section.js';
import { type Fault, fault } from './fault.js';
import { faults } from './faults.js';

export const faultsSection = section({
  name: 'faults',
  entry: ref<Fault>(fault),
  plant: (memory, newFault) => memory.of(faults).add(newFault),
  export: (memory) => memory.of(faults).list,
});
