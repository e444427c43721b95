import { html } from 'hono/html';
import { sessionOf } from 'sallyport/hono';
import { session } from './sallyport.js';

app.use(session);

app.get('/account', (c) => {
  const { user } = sessionOf(c);
  return c.html(html`<p>You are signed in as ${user.email}.</p>
<form method="post" action="/sign-out"><button>Sign out</button></form>`);
});
