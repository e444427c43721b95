import { sessionOf } from 'sallyport/fastify';
import { session } from './sallyport.js';

app.register(session);

app.get('/account', (request, reply) => {
  const { user } = sessionOf(request);
  // Encoded, because an email address may contain HTML.
  return reply.type('text/html').send(`<p>You are signed in as ${encodeURI(user.email)}.</p>
<form method="post" action="/sign-out"><button>Sign out</button></form>`);
});
