const { html } = require('hono/html');
const { sessionOf } = require('sallyport/hono');
const { session } = require('./sallyport.js');

app.use(session);

app.get('/account', (c) => {
  const { user } = sessionOf(c);
  return c.html(html`<p>You are signed in as ${user.email}.</p>
<form method="post" action="/sign-out"><button>Sign out</button></form>`);
});
