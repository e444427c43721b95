/** Add parameters to the query of a URL, without changing its other parts. Parameters that are null are left out. */
export function withQuery(address: string, params: Readonly<Record<string, string | null>>): string {
  const entries = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== null);
  const query = new URLSearchParams(entries).toString();
  if (query === '') return address;
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${joint}${query}`;
}
