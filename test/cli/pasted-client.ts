import { Sallyport } from 'sallyport';
import { createSessions } from 'sallyport/session';

// All settings come from the environment, as in an application.
const { userManagement } = new Sallyport();
const { data } = await userManagement.listUsers();
const tokens = await userManagement.authenticateWithPassword({ email: 'ada@acme.test', password: 'a quiet harbour' });
const sessions = createSessions();
const cookie = (await sessions.create(tokens)).map((one) => one.split(';')[0]).join('; ');
const { status } = await sessions.handle(new Request('http://localhost:3000/', { headers: { cookie } }));
const { headers } = await sessions.startSignIn(new Request('http://localhost:3000/'));
console.log(
  JSON.stringify({
    emails: data.map(({ email }) => email),
    status,
    redirectUri: new URL(headers.get('location') ?? '').searchParams.get('redirect_uri'),
  }),
);
