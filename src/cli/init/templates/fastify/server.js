import fastify from 'fastify';
import { sessionOf } from 'sallyport/fastify';
import { session } from './sallyport.js';

const app = fastify();
app.register(session);

app.get('/', (_, reply) => reply.type('text/html').send('<a href="/account">Your account</a>'));

app.get('/account', (request, reply) => {
  const { user } = sessionOf(request);
  // Encoded, because an email address may contain HTML.
  return reply.type('text/html').send(`<p>You are signed in as ${encodeURI(user.email)}.</p>
<form method="post" action="/sign-out"><button>Sign out</button></form>`);
});

const port = Number(process.env.PORT ?? 3000);
app.listen({ port }).then(() => console.log(`http://localhost:${port}`));
