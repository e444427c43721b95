import { type LambdaWebhookEvent, receive } from 'sallyport/webhooks';
import { receiving } from './receiving.js';

export async function handler(event: LambdaWebhookEvent) {
  const { status, text } = await receive(event, receiving);
  return { statusCode: status, body: text };
}
