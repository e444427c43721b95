import type { SeedText } from './yaml.js';

/** Parse the text of a seed file. JSON is not parsed as YAML, because that takes a hundred times as long. */
export async function readText(text: string): Promise<SeedText> {
  const json = jsonIn(text);
  if (json === undefined) return readYaml(text);
  return { value: () => json, places: async () => (await readYaml(text)).places() };
}

async function readYaml(text: string): Promise<SeedText> {
  const { readYaml } = await import('./yaml.js');
  return readYaml(text);
}

/** Parse a JSON object. Returns undefined for anything else, and for repeated names, which the YAML parser reports. */
function jsonIn(text: string): object | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  let value: object;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return countNames(text) === countFields(value) ? value : undefined;
}

function countNames(json: string): number {
  let count = 0;
  for (const [, colon] of json.matchAll(/"(?:[^"\\]|\\.)*"?(\s*:)?/g)) if (colon) count++;
  return count;
}

function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const item of Object.values(value)) count += countFields(item);
  return Array.isArray(value) ? count : count + Object.keys(value).length;
}
