import { ref } from '../../service/describe/define.js';
import { collectionCheck, registerName, tableCheck, valueCheck } from '../store/store-names.js';
import { apiKeysCheck } from './api-keys.js';
import { clockCheck } from './clock-store.js';
import { dropped } from './dropped.js';
import { eventPlan } from './event-log.js';
import { idsCheck } from './ids.js';
import { messageRecord } from './inbox.js';

/** Names of the stores that every world has. */
export const builtIn = {
  events: eventPlan.object,
  keys: 'API key',
  messages: 'message',
  dropped: 'dropped',
  ids: 'ids',
  clock: 'clock',
} as const;

registerName(builtIn.events, collectionCheck(eventPlan));
registerName(builtIn.keys, apiKeysCheck);
registerName(builtIn.messages, tableCheck(messageRecord));
registerName(builtIn.dropped, valueCheck(ref(dropped)));
registerName(builtIn.ids, idsCheck);
registerName(builtIn.clock, clockCheck);
