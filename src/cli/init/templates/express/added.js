import { sessionOf } from 'sallyport/express';
import { session } from './sallyport.js';

app.use(session);

app.get('/account', (req, res) => {
  const { user } = sessionOf(req);
  // Encoded, because an email address may contain HTML.
  res.send(`<p>You are signed in as ${encodeURI(user.email)}.</p>
<form method="post" action="/sign-out"><button>Sign out</button></form>`);
});
