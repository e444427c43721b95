import fastify from 'fastify';
import { receive } from 'sallyport/webhooks';
import { receiving } from './receiving.js';

export const app = fastify();
// A separate plugin, so that other routes still parse JSON.
app.register(async (routes) => {
  routes.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  routes.post('/webhooks', async (request, reply) => {
    const { httpStatus, text } = await receive(request, receiving);
    return reply.code(httpStatus).send(text);
  });
});
