import providers from 'email-providers/all.json' with { type: 'json' };

/** Domains reserved for documentation and tests (RFC 2606). The list of the package contains one of them. */
const examples: readonly string[] = ['example.com', 'example.net', 'example.org'];

let domains: ReadonlySet<string> | undefined;

/** Check whether a domain belongs to a public mail provider. */
export function isConsumerDomain(host: string): boolean {
  domains ??= new Set(providers);
  return domains.has(host) && !examples.includes(host);
}
