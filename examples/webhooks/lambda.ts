import { type LambdaWebhookEvent, receive } from 'sallyport/webhooks';
import { receiving } from './receiving.js';

export async function handler(event: LambdaWebhookEvent) {
  const { httpStatus, text } = await receive(event, receiving);
  return { statusCode: httpStatus, body: text };
}
