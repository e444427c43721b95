import { connection } from '../../../service/sso.js';
import type { Facts } from '../../world/facts.js';
import { type ConnectionRecord, connections } from './records.js';

export const connectionFacts: Facts<ConnectionRecord> = {
  model: connection,
  all: (memory) => memory.of(connections),
  columns: ['name', ['connectionType', 'Type'], 'state', 'id'],
  empty: 'No connections.',
};
