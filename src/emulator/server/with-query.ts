/** An address with further parameters in its query; what it has stays as it is written. Those that are null are left out. */
export function withQuery(address: string, params: Readonly<Record<string, string | null>>): string {
  const entries = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== null);
  const query = new URLSearchParams(entries).toString();
  if (query === '') return address;
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  return `${address}${joint}${query}`;
}
