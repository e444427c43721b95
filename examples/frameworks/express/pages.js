const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

export const head = `<!doctype html>
<html lang="en">
<title>Harbour</title>
<link rel="icon" href="data:,">`;

export const page = (...body) => `${head}
<main>
${body.join('\n')}
</main>
</html>`;

export const paragraph = (text) => `<p>${escaped(text)}</p>`;

export const home = (session) =>
  page(
    paragraph(`Hello ${session?.user.email ?? 'stranger'}`),
    '<a href="/account">Your account</a>',
    session ? '' : '<a href="/sign-in">Sign in</a>',
  );

export const account = ({ user, organizationId, permissions }, problem) =>
  page(
    paragraph(`${user.email} in ${organizationId ?? 'no organization'} may: ${permissions.join(' ') || 'nothing'}`),
    problem ? paragraph(problem) : '',
    `<form method="post" action="/account/switch">
  <label>Organization <input name="organization"></label>
  <button>Switch</button>
</form>
<form method="post" action="/account/refresh"><button>Refresh</button></form>
<form method="post" action="/sign-out"><button>Sign out</button></form>`,
  );
