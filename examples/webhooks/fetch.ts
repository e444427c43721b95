import { webhookHandler } from 'sallyport/webhooks';
import { receiving } from './receiving.js';

export const POST = webhookHandler(receiving);
