import providers from 'email-providers/all.json' with { type: 'json' };

/** Reserved for documentation and tests (RFC 2606). One of them is in the list of the package. */
const examples: readonly string[] = ['example.com', 'example.net', 'example.org'];

let domains: ReadonlySet<string> | undefined;

/** Whether a domain belongs to a public mail provider. */
export function isConsumerDomain(host: string): boolean {
  domains ??= new Set(providers);
  return domains.has(host) && !examples.includes(host);
}
