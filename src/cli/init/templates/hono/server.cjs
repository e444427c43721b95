const { serve } = require('@hono/node-server');
const { Hono } = require('hono');
const { html } = require('hono/html');
const { sessionOf } = require('sallyport/hono');
const { session } = require('./sallyport.js');

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
