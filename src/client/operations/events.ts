export { event, events } from '../../service/events.js';
export { webhooks } from '../../service/webhooks.js';
