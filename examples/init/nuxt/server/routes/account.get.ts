// Until you have a page of your own: put that in app/pages/account.vue, and remove this file.
export default defineEventHandler(({ context: { auth } }) => {
  // Encoded, because an address may hold what HTML takes for a tag.
  const email = encodeURI(auth.session?.user.email ?? '');
  return `<p>You are signed in as ${email}.</p>
<form method="post" action="/sign-out"><button>Sign out</button></form>`;
});
