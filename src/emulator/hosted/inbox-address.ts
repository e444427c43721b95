/** Path of the inbox: a page for browsers, a control for programs. */
export const inboxPath = '/_emulator/inbox';

/** Build the URL path of the inbox page for one address, in the environment of a client. */
export const inboxOf = (address: string, clientId: string): string =>
  `${inboxPath}?${new URLSearchParams({ to: address, client_id: clientId })}`;
