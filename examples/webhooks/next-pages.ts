import type { IncomingMessage, ServerResponse } from 'node:http';
import { receive } from 'sallyport/webhooks';
import { receiving } from './receiving.js';

export const config = { api: { bodyParser: false } };

export default async function handler(request: IncomingMessage, response: ServerResponse) {
  const { httpStatus, text } = await receive(request, receiving);
  response.writeHead(httpStatus).end(text);
}
