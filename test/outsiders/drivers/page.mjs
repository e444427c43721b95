// The page of a single-page application with the incumbent's package for browsers.
import { createClient } from '@workos-inc/authkit-js';

const { clientId, hostname, port } = JSON.parse(document.body.dataset.service);
const auth = await createClient(clientId, {
  apiHostname: hostname,
  https: false,
  port,
  redirectUri: `${location.origin}/`,
  devMode: true,
});
const status = document.querySelector('[role=status]');
const show = async () => {
  const user = auth.getUser();
  status.textContent = user ? `Hello ${user.firstName}` : 'Nobody is signed in';
};
for (const [name, action] of Object.entries({
  'Sign in': () => auth.signIn(),
  'Renew the access token': async () => {
    const before = await auth.getAccessToken();
    const after = await auth.getAccessToken({ forceRefresh: true });
    status.textContent = before === after ? 'The same token' : 'Another token';
  },
  'Sign out': () => auth.signOut({ returnTo: `${location.origin}/` }),
})) {
  const button = document.createElement('button');
  button.textContent = name;
  button.addEventListener('click', action);
  document.body.append(button);
}
await show();
