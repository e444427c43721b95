// Options shared by all routes in this folder.
import { Sallyport } from 'sallyport';
import { memoryStore } from 'sallyport/stores';
import { on } from 'sallyport/streams';
import type { WebhookProblem } from 'sallyport/webhooks';

export const people = new Set<string>();

export const receiving = {
  secret: process.env.SALLYPORT_WEBHOOK_SECRET,
  client: new Sallyport(),
  store: memoryStore(), // with several replicas: redisStore or postgresStore
  handler: on({
    'user.created': (event) => void people.add(event.data.email),
    'user.deleted': (event) => void people.delete(event.data.email),
  }),
  onProblem: ({ message }: WebhookProblem) => console.error(message),
};
