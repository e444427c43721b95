import { Sallyport } from 'sallyport';

// All settings come from the environment, as in an application.
const { userManagement } = new Sallyport();
const user = await userManagement.createUser({
  email: 'ada@acme.test',
  password: 'a quiet harbour',
  emailVerified: true,
});
const { accessToken } = await userManagement.authenticateWithPassword({
  email: 'ada@acme.test',
  password: 'a quiet harbour',
});
const health = await fetch(`${process.env.SALLYPORT_BASE_URL}/health`);
console.log(JSON.stringify({ email: user.email, token: accessToken, health: health.status }));
