import express from 'express';
import { receive } from 'sallyport/webhooks';
import { receiving } from './receiving.js';

export const app = express();
// Register this before express.json(), which discards the signed bytes.
app.post('/webhooks', express.raw({ type: 'application/json', limit: '1mb' }), async (request, response) => {
  const { httpStatus, text } = await receive(request, receiving);
  response.status(httpStatus).send(text);
});
