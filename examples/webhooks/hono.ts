import { Hono } from 'hono';
import { webhookHandler } from 'sallyport/webhooks';
import { receiving } from './receiving.js';

export const app = new Hono();
app.post('/webhooks', webhookHandler(receiving));
