// adapter-node assumes HTTPS unless a proxy sets a header, and then rejects forms that are sent over plain HTTP. This server acts
// as that proxy on your own machine. Behind a real proxy, run `node build`.
import { createServer } from 'node:http';

process.env.PROTOCOL_HEADER = 'x-forwarded-proto';
const { handler } = await import('./build/handler.js');

createServer((request, response) => {
  request.headers['x-forwarded-proto'] = 'http';
  handler(request, response);
}).listen(process.env.PORT ?? 3000);
