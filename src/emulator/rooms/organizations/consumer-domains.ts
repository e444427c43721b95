import providers from 'email-providers/all.json' with { type: 'json' };

/** Set aside for documents and tests (RFC 2606); the list has one of them. */
const examples: readonly string[] = ['example.com', 'example.net', 'example.org'];

let domains: ReadonlySet<string> | undefined;

/** Whether anyone can have an address at a domain. */
export function isConsumerDomain(host: string): boolean {
  domains ??= new Set(providers);
  return domains.has(host) && !examples.includes(host);
}
