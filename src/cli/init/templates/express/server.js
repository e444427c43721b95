import express from 'express';
import { sessionOf } from 'sallyport/express';
import { session } from './sallyport.js';

const app = express();
app.use(session);

app.get('/', (req, res) => {
  res.send(req.auth.session ? '<a href="/account">Your account</a>' : '<a href="/sign-in">Sign in</a>');
});

app.get('/account', (req, res) => {
  const { user } = sessionOf(req);
  // Encoded, because an email address may contain HTML.
  res.send(`<p>You are signed in as ${encodeURI(user.email)}.</p>
<form method="post" action="/sign-out"><button>Sign out</button></form>`);
});

const port = process.env.PORT ?? 3000;
app.listen(port, () => console.log(`http://localhost:${port}`));
