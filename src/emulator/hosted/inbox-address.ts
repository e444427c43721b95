/** Where the emulator's mail is: for browsers a page, for programs a control. */
export const inboxPath = '/_emulator/inbox';

/** Where a person finds the mail of an address, in the environment of a client. */
export const inboxOf = (address: string, clientId: string): string =>
  `${inboxPath}?${new URLSearchParams({ to: address, client_id: clientId })}`;
