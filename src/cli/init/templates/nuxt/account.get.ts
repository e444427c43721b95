// Placeholder: create your own page in app/pages/account.vue, and delete this file.
export default defineEventHandler(({ context: { auth } }) => {
  // Encoded, because an email address may contain HTML.
  const email = encodeURI(auth.session?.user.email ?? '');
  return `<p>You are signed in as ${email}.</p>
<form method="post" action="/sign-out"><button>Sign out</button></form>`;
});
