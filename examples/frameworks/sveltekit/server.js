// adapter-node takes every request for HTTPS unless a header from the proxy says otherwise, and then refuses forms over plain HTTP.
// This takes the place of that proxy on your own machine. Behind a real one run `node build`.
import { createServer } from 'node:http';

process.env.PROTOCOL_HEADER = 'x-forwarded-proto';
const { handler } = await import('./build/handler.js');

createServer((request, response) => {
  request.headers['x-forwarded-proto'] = 'http';
  handler(request, response);
}).listen(process.env.PORT ?? 3000);
