import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { sessionOf } from 'sallyport/hono';
import { session } from './sallyport.js';

const app = new Hono();
app.use(session);

app.get('/', (c) => c.html('<a href="/account">Your account</a>'));

app.get('/account', (c) => {
  const { user } = sessionOf(c);
  return c.html(html`<p>You are signed in as ${user.email}.</p>
<form method="post" action="/sign-out"><button>Sign out</button></form>`);
});

const port = Number(process.env.PORT ?? 3000);
serve({ fetch: app.fetch, port }, () => console.log(`http://localhost:${port}`));
